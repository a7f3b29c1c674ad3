import type { CommandSpec } from "../../src/commands/spec.js";
import { facts, reasonLeftOut } from "./check.js";
import { type Signature, signatures } from "./signatures.js";

/** A method on the page, with the facts that are not in its declaration. */
export interface Method {
  readonly name: string;
  readonly spec: CommandSpec;
  /** Engines that tests run it on. */
  readonly tested: readonly string[];
  /** Calls of the method, each with its result; or one call as text. */
  readonly samples: readonly Sample[] | string;
}

type Sample = readonly [args: readonly unknown[], returns: unknown];

/** The methods that most programs use, which the page shows first. */
export const MOST_USED = [
  ...["get", "set", "mget", "mset", "incr", "del", "exists", "expire", "ttl", "scan"],
  ...["hset", "hget", "hgetall", "hincrby", "lpush", "lrange", "sadd", "smembers", "zadd", "zrange"],
  ...["publish", "eval"],
];

const HEAD = `# Commands

<!-- Generated from src/commands. To renew it: npm run test:repo -- test/repo/docs/commands.test.ts -u -->

Each command is a method of a client, of a pipeline and of a transaction. On a client it returns a promise of the value
after the colon. \`T\` is the type of a stored value: name it, as in \`redis.get<User>("user:1")\`.
\`Key\` is a string or a Uint8Array. Names of options are listed by your editor, each with its unit.

\`pipeline()\` sends several commands as one request, \`multi()\` as one transaction. Binary data goes in as a Uint8Array, and
comes back as one with \`redis.with({ codec: "bytes" })\`.

If its response is lost, the client repeats a command that reads, and one that writes where the gateway applies it once
([retries](retries.md)). "depends" marks commands that read or write depending on their options.

Reads that return values also take a schema: [schemas](schemas.md).

The last column names the servers on which tests run the command, through the gateway. "all" means the embedded engine,
Redis 7.0, Redis 8.2 and Valkey 9.1. JSON commands run on RedisJSON 2.8 of Redis Stack, filters and
sketches on its RedisBloom 2.8, and search on its RediSearch 2.10, loaded into Redis 8.2. Time series run on no server: RedisTimeSeries of
the same release needs an OpenSSL that current systems do not have.
`;

/** Returns the page that lists every command. */
export function commandsPage(groups: Readonly<Record<string, readonly Method[]>>): string {
  const declared = signatures();
  const methods = new Map(Object.values(groups).flatMap((group) => group.map((each) => [each.name, each])));
  const mostUsed = MOST_USED.map((name) => example(methods.get(name)!, declared.get(name)!));
  const contents = Object.keys(groups).map((group) => `[${title(group)}](#${anchor(title(group))})`);
  const tables = Object.entries(groups).map(([group, members]) => table(title(group), members, declared));
  const sections = [HEAD, `Groups: ${contents.join(", ")}.`, "## Most used", ...mostUsed, ...tables];
  return `${[...sections, withoutMethod(groups)].join("\n\n").replace(/\n{3,}/g, "\n\n")}\n`;
}

/** Headings of groups that are names. */
const NAMES: Readonly<Record<string, string>> = { hyperloglog: "HyperLogLog", json: "JSON" };

const title = (group: string) => NAMES[group] ?? `${group[0]!.toUpperCase()}${group.slice(1)}`;

/** Returns the anchor that GitHub gives a heading. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** Types that the examples name. */
const TYPES: Readonly<Record<string, string>> = {
  User: "interface User { name: string; age?: number }",
  Job: "interface Job { id: number }",
};

/** Commands that redis.io does not describe. */
const WITHOUT_PAGE =
  /^(AR\w+|BLMOVEM|CF\.COMPACT|INCREX|JSON\.NUMPOWBY|LMOVEM|S(DIFF|UNION)CARD|SCRIPT SHOW|XCFGSET|XNACK)$/;

const pageOf = ({ name }: CommandSpec) =>
  `https://redis.io/commands/${name.toLowerCase().replace(" ", "-")}/`;

function example({ name, spec }: Method, { forms, description, examples }: Signature): string {
  const types = Object.keys(TYPES).filter((type) =>
    examples.some((line) => line.includes(`<${type}`) || line.includes(`[${type}`)),
  );
  return [
    `### ${name}`,
    `${description} [${spec.name} at redis.io](${pageOf(spec)})`,
    [
      "```ts",
      ...types.map((type) => TYPES[type]!),
      ...forms.map((form) => `// ${form}`),
      ...examples,
      "```",
    ].join("\n"),
  ].join("\n\n");
}

function table(
  heading: string,
  methods: readonly Method[],
  declared: ReadonlyMap<string, Signature>,
): string {
  const rows = methods.map(({ name, spec, tested, samples }) => {
    const signature = declared.get(name)!;
    const command = WITHOUT_PAGE.test(spec.name) ? spec.name : `[${spec.name}](${pageOf(spec)})`;
    const forms = signature.forms.map(code).join("<br>");
    const where = tested.join(", ") || "not run on a real server here";
    return `| ${command} | ${forms} | ${code(typeof samples === "string" ? samples : bestCall(name, samples))} | ${readsOrWrites(spec)} | ${where} |`;
  });
  return [
    `## ${heading}`,
    "",
    "| Command | Signature | Example and its result | | Tests run it on |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/** Code inside a table. */
const code = (text: string) => `\`${text.replaceAll("|", "\\|").replaceAll("`", "'")}\``;

/** Returns the first call that is short and finds something, or else the shortest. */
function bestCall(name: string, samples: readonly Sample[]): string {
  const calls = samples.map((sample) => ({ text: call(name, sample), finds: sample[1] !== null }));
  // Some samples test odd names and long digits.
  const ordinary = calls.filter(({ text, finds }) => finds && !/__proto__|\d{15}/.test(text));
  const [shortest] = calls.toSorted((a, b) => a.text.length - b.text.length);
  return (ordinary.find(({ text }) => text.length < 80) ?? ordinary[0] ?? shortest!).text;
}

function call(name: string, [args, returns]: Sample): string {
  const passed = args.filter(
    (arg, at) => arg !== undefined || args.slice(at).some((later) => later !== undefined),
  );
  return `${name}(${passed.map(literal).join(", ")}) // ${literal(returns)}`;
}

/** Returns a value as TypeScript writes it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (ArrayBuffer.isView(value))
    return `${value.constructor.name}.of(${[...(value as Uint8Array)].join(", ")})`;
  if (typeof value !== "object" || value === null)
    return JSON.stringify(value)?.replace(/\n/g, "\\n") ?? "undefined";
  if (value instanceof Error) return `${value.name}("${value.message}")`;
  const entries = Object.entries(value).map(
    ([name, item]) => `${/^[\w$]+$/.test(name) ? name : JSON.stringify(name)}: ${literal(item)}`,
  );
  return entries.length > 0 ? `{ ${entries.join(", ")} }` : "{}";
}

function readsOrWrites({ write }: CommandSpec): string {
  return typeof write === "function" ? "depends" : write ? "writes" : "reads";
}

function withoutMethod(groups: Readonly<Record<string, readonly Method[]>>): string {
  const methods = Object.values(groups).flat();
  const byReason = new Map<string, string[]>();
  for (const name of Object.keys(facts)) {
    if (methods.some(({ spec }) => spec.name === name)) continue;
    const reason = reasonLeftOut(name) ?? "it belongs to a module; use exec()";
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  return [
    "## Without a method",
    "`redis.exec([name, ...args])` sends any command that does not change the state of a connection.",
    ...[...byReason].map(([reason, names]) => `Because ${reason}: ${names.join(", ")}.`),
  ].join("\n\n");
}
