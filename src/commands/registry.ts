import { bitfieldSpec } from "./bitmap.js";
import { everyGroup, namespaces } from "./index.js";
import type { CommandSpec } from "./spec.js";

let specs: Map<string, CommandSpec> | undefined;

/** Returns the spec of a command, if there is one, and the number of words of its name. @param argv name and arguments. */
export function findSpec(argv: readonly unknown[]): [spec: CommandSpec | undefined, nameLength: number] {
  specs ??= new Map(
    [...everyGroup(), ...Object.values(namespaces).map((group) => group()), { bitfieldSpec }]
      .flatMap((group) => Object.values<CommandSpec>(group))
      .map((spec) => [spec.name, spec]),
  );
  const [name, sub] = argv.slice(0, 2).map((arg) => String(arg).toUpperCase());
  const spec = specs.get(`${name} ${sub}`);
  return spec ? [spec, 2] : [specs.get(name!), 1];
}

/** Reads of modules, whose specs are in the entry `warmline/modules`. Names with these endings are taken for reads. */
const MODULE_READS =
  /^(BF|CF|CMS|TOPK|TDIGEST|TS|FT)\.(\w*(RANK|LIST|DUMP|GET|RANGE|EXISTS)|CARD|CDF|COUNT|DEBUG|INFO|MAX|MIN|QUANTILE|QUERY\w*|TRIMMED_MEAN|READ|AGGREGATE|EXPLAIN\w*|PROFILE|SEARCH|SPELLCHECK|SUGLEN|TAGVALS)$/i;

/**
 * Whether a command may change data. An unknown command counts as a write, since reads are retried automatically.
 * @param argv name and arguments.
 */
export function isWrite(argv: readonly unknown[]): boolean {
  const [spec, nameLength] = findSpec(argv);
  if (!spec && MODULE_READS.test(String(argv[0]))) {
    // With a cursor it counts as a write: a repeat after a lost response would open a second cursor at the server.
    return argv.some((arg) => /^withcursor$/i.test(String(arg)));
  }
  const write = spec?.write ?? true;
  return typeof write === "function" ? write(argv.slice(nameLength)) : write;
}
