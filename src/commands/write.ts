import { findSpec } from "./registry.js";

/** The modules' reads: their specs are in an entry of their own. */
const MODULE_READS =
  /^(BF|CF|CMS|TOPK|TDIGEST|TS|FT)\.((BY)?(REV)?RANK|CARD|CDF|COUNT|DEBUG|M?EXISTS|INFO|(ALIAS)?LIST|MAX|MIN|QUANTILE|QUERY(INDEX|LABELS)?|(SCAN|DICT|SYN)DUMP|TRIMMED_MEAN|(M|SUG)?GET|[MN]?(REV)?RANGE|READ|AGGREGATE|EXPLAIN(CLI)?|PROFILE|SEARCH|SPELLCHECK|SUGLEN|TAGVALS)$/i;

/**
 * Whether a command given with its name and arguments may change data. What is not known to be a read is taken
 * for a write, since only a read is ever sent a second time on its own.
 */
export function isWrite(argv: readonly unknown[]): boolean {
  const [spec, nameLength] = findSpec(argv);
  if (!spec && MODULE_READS.test(String(argv[0]))) {
    // A cursor that is lost with its response stays open at the server.
    return argv.some((arg) => /^withcursor$/i.test(String(arg)));
  }
  const write = spec?.write ?? true;
  return typeof write === "function" ? write(argv.slice(nameLength)) : write;
}
