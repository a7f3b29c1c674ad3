import { bitfieldRow } from "./bitmap.js";
import { namespaces, rows } from "./index.js";
import type { Row } from "./row.js";

let known: Map<string, Row> | undefined;

/** The row of a command given as words, its name among them, if there is one, and how many words the name has. */
export function rowOf(words: readonly unknown[]): [row: Row | undefined, nameWords: number] {
  known ??= new Map(
    [rows, ...Object.values(namespaces), { bitfieldRow }]
      .flatMap((group) => Object.values<Row>(group))
      .map((row) => [row.name, row]),
  );
  const [name, sub] = words.slice(0, 2).map((word) => String(word).toUpperCase());
  const row = known.get(`${name} ${sub}`);
  return row ? [row, 2] : [known.get(name!), 1];
}

/** The modules' reads: their rows are in an entry of their own. */
const MODULE_READS =
  /^((BF|CF|CMS|TOPK|TDIGEST)\.(BY(REV)?RANK|CARD|CDF|COUNT|DEBUG|M?EXISTS|INFO|LIST|MAX|MIN|QUANTILE|QUERY|(REV)?RANK|SCANDUMP|TRIMMED_MEAN)|TS\.(M?GET|[MN]?(REV)?RANGE|INFO|QUERY(INDEX|LABELS)|READ)|FT\.(AGGREGATE|ALIASLIST|DICTDUMP|EXPLAIN(CLI)?|INFO|PROFILE|SEARCH|SPELLCHECK|SUGGET|SUGLEN|SYNDUMP|TAGVALS))$/i;

/**
 * Whether a command given as words, its name among them, may change data. What is not known to be a read is taken
 * for a write, since only a read is ever sent a second time on its own.
 */
export function isWrite(words: readonly unknown[]): boolean {
  const [row, nameWords] = rowOf(words);
  if (!row && MODULE_READS.test(String(words[0]))) {
    // A cursor that is lost with its answer stays open at the server.
    return words.some((word) => /^withcursor$/i.test(String(word)));
  }
  const write = row?.write ?? true;
  return typeof write === "function" ? write(words.slice(nameWords)) : write;
}
