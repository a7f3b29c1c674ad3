import { facts, isRead } from "./check.js";
import type { KeySpec } from "./keys.js";

/** Commands whose keys depend on options in any order, and the names of the functions of the gateway that find these keys. */
const BY_OPTIONS: Readonly<Record<string, string>> = {
  SORT: "sort",
  SORT_RO: "sort",
  GEORADIUS: "georadius@6",
  GEORADIUSBYMEMBER: "georadius@5",
  XREAD: "streams",
  XREADGROUP: "streams",
};

/**
 * Commands whose keys can't be derived from their arguments: they use an index, labels or the state of the server,
 * administer it, or their form may still change. A trailing `*` stands for any name.
 */
const UNKNOWN_KEYS = [
  "DEBUG",
  "FT.*",
  "HIMPORT SET",
  "JSON.DEBUG",
  "MIGRATE",
  "PFDEBUG",
  "TS.MGET",
  "TS.MRANGE",
  "TS.MREVRANGE",
  "TS.NRANGE",
  "TS.NREVRANGE",
  "TS.QUERYINDEX",
  "TS.QUERYLABELS",
  "TS.READ",
  "XIDMPRECORD",
];

/** Commands that read or write data but have no key: they concern all data, or none. */
const KEYLESS = new Set(
  `DBSIZE FLUSHALL FLUSHDB KEYS LOLWUT RANDOMKEY SCAN SFLUSH SWAPDB TRIMSLOTS TIMESERIES.REFRESHCLUSTER
FUNCTION|DELETE FUNCTION|FLUSH FUNCTION|LOAD FUNCTION|RESTORE`
    .split(/\s+/)
    .map((name) => name.replace("|", " ")),
);

// INFO has no flag for reads, but a replica can reply to it.
const ALSO_READS = new Set(["INFO"]);

/** Returns a problem for each data command whose keys neither the facts nor a table above describe. */
export function keyProblems(all: typeof facts = facts): string[] {
  return Object.entries(all)
    .filter(([name, { flags, keys }]) => {
      const isData = flags?.includes("write") || flags?.includes("readonly");
      return isData && !keys && !hasUnknownKeys(name) && !KEYLESS.has(name) && !BY_OPTIONS[name];
    })
    .map(([name]) => `${name}: reads or writes data, but nothing says where its keys are`);
}

/**
 * Returns the gateway's table of commands, as TypeScript. A row has the facts group, arity (0 if unknown), `r` for reads, positions of
 * keys, request policy and response policy, and the names of the commands that share them.
 * @throws {Error} if the keys of a data command are not described.
 */
export function gatewayTable(): string {
  const problems = keyProblems();
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const rows = new Map<string, string>();
  for (const [name, fact] of Object.entries(facts)) {
    const row = [
      fact.group,
      fact.arity ?? 0,
      isRead(name) || ALSO_READS.has(name) ? "r" : "-",
      BY_OPTIONS[name] ??
        (hasUnknownKeys(name) ? "?" : fact.keys ? fact.keys.map(formatPositions).join(",") : "-"),
      fact.request ?? "-",
      fact.response ?? "-",
    ]
      .join(" ")
      .replace(/( -)+$/, "");
    rows.set(row, `${rows.get(row) ?? `${row}:`} ${name.replace(" ", "|")}`);
  }
  return `// Generated from scripts/facts. To renew it: npx vitest run test/unit/commands/gateway-table.test.ts -u

/** Rows of facts and the commands they apply to: \`command-info.ts\` reads them, and explains each field. */
export const TABLE = \`
${[...rows.values()].sort().join("\n")}
\`;
`;
}

function hasUnknownKeys(name: string): boolean {
  return UNKNOWN_KEYS.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) && !facts[name]?.keys : name === pattern,
  );
}

/** Formats positions of keys as `first`, `first..last/step`, or `#count@first/step`. */
function formatPositions({ first = 0, last = 0, step = 1, count, after, limit }: KeySpec): string {
  if (after !== undefined || limit !== undefined) throw new Error(`keys after ${after} need a function`);
  const steps = step === 1 ? "" : `/${step}`;
  if (count !== undefined) return `#${count}@${first}${steps}`;
  if (last === 0) return String(first);
  return `${first}..${last > 0 ? first + last : last}${steps}`;
}
