import { parseArgs } from "node:util";
import { settingsOf } from "../options.js";
import { redisAt } from "../upstream/redis-url.js";
import { readConfigFile } from "./config-file.js";
import { environmentName, type Flag, flags } from "./flags.js";
import { UsageError } from "./usage-error.js";

/** What the command line asks for. */
export interface CliSettings {
  readonly action: "run" | "help" | "version";
  /** Options as the gateway takes them; what was not given is undefined. */
  readonly options: {
    readonly port?: number;
    readonly host?: string;
    readonly token?: string;
    readonly redis?: string;
    readonly maxBody?: number;
  };
  /** Which engine to start; undefined when `redis` names one that runs. */
  readonly engine: string | undefined;
  /** The command to run and its arguments, after `--`; undefined without one. */
  readonly command: readonly string[] | undefined;
}

/** A value, and where it came from in words for an error: `--port`, a variable, or the config file. */
interface Given {
  readonly text: string;
  readonly from: string;
}

/**
 * Reads the command line, the environment and the config file, in that order of precedence, and checks
 * all values before anything is started.
 * @throws {UsageError} at the first thing wrong.
 */
export function readSettings(argv: readonly string[], environment: NodeJS.ProcessEnv): CliSettings {
  const dashes = argv.indexOf("--");
  const command = dashes === -1 ? undefined : argv.slice(dashes + 1);
  const values = parseFlags(dashes === -1 ? argv : argv.slice(0, dashes));
  if (values.help === true) return { action: "help", options: {}, engine: undefined, command };
  if (values.version === true) return { action: "version", options: {}, engine: undefined, command };
  if (command?.length === 0) throw new UsageError("there is no command after --");

  const given = collect(values, environment);
  const redis = given.get("redis");
  const engine = given.get("engine");
  // A flag on the command line overrides the other setting's twin elsewhere; two of the same rank conflict.
  if (redis !== undefined && engine !== undefined && isFlag(redis) === isFlag(engine)) {
    throw new UsageError(
      `${redis.from} and ${engine.from} cannot both be given: the one is a Redis that runs, the other one to start`,
    );
  }
  const useRedis = redis !== undefined && (engine === undefined || isFlag(redis));
  const options = {
    port: numberOf(given.get("port")),
    host: given.get("host")?.text,
    token: given.get("token")?.text,
    redis: useRedis ? redis.text : undefined,
    maxBody: bytesOf(given.get("maxBody")),
  };
  check(options, given);
  return { action: "run", options, engine: useRedis ? undefined : (engine?.text ?? "auto"), command };
}

function parseFlags(argv: readonly string[]): Record<string, string | boolean | undefined> {
  const withValue = [...flags.map(({ name }) => name), "config"];
  const options: Record<string, { type: "string" | "boolean" }> = {
    help: { type: "boolean" },
    version: { type: "boolean" },
  };
  for (const name of withValue) options[name] = { type: "string" };
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    // Node's text goes on with advice for programmers after the first sentence.
    const [what = ""] = (error as Error).message.split(/\.\s|\n/);
    throw new UsageError(
      `${what.replace(/\.$/, "").replace(/^./, (first) => first.toLowerCase())}; see --help`,
    );
  }
  const [stray] = parsed.positionals;
  if (stray !== undefined) {
    throw new UsageError(
      `unexpected '${stray}'; a command to run comes after --, as in: warmline-gateway -- npm run dev`,
    );
  }
  return parsed.values as Record<string, string | boolean | undefined>;
}

/** All values given, by the name of the option, the nearest source first. */
function collect(
  values: Record<string, string | boolean | undefined>,
  environment: NodeJS.ProcessEnv,
): Map<string, Given> {
  const nearest = (name: string): Given | undefined => {
    const flag = values[name];
    if (typeof flag === "string") return { text: flag, from: `--${name}` };
    const variable = environment[environmentName(name)];
    return variable ? { text: variable, from: environmentName(name) } : undefined;
  };
  const config = nearest("config");
  const file = config && readConfigFile(config.text);
  const given = new Map<string, Given>();
  for (const { name, option } of flags) {
    const value = nearest(name);
    const inFile = file?.get(option);
    if (value !== undefined) given.set(option, value);
    else if (inFile !== undefined)
      given.set(option, { text: String(inFile), from: `config file ${config?.text}: ${option}` });
  }
  for (const { text, from } of given.values())
    if (text.trim() === "") throw new UsageError(`${from}: is empty`);
  return given;
}

function isFlag(given: Given): boolean {
  return given.from.startsWith("--");
}

function numberOf(given: Given | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d+$/.test(given.text)) throw new UsageError(`${given.from}: '${given.text}' is not a whole number`);
  return Number(given.text);
}

const UNITS: Record<string, number> = { "": 1, b: 1, kb: 1024, mb: 1024 ** 2 };

/** A size such as `1048576`, `500kb` or `20mb`, in bytes. */
function bytesOf(given: Given | undefined): number | undefined {
  if (given === undefined) return undefined;
  const [, digits, unit = ""] = /^(\d+)\s*([a-z]*)$/i.exec(given.text.trim()) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  if (digits === undefined || factor === undefined) {
    throw new UsageError(`${given.from}: '${given.text}' is not a size such as 500kb or 20mb`);
  }
  return Number(digits) * factor;
}

/** Lets the gateway's own checks speak, in terms of where the value came from. */
function check(options: CliSettings["options"], given: Map<string, Given>): void {
  try {
    if (options.redis !== undefined) redisAt(options.redis);
    settingsOf({ ...options, redis: options.redis ?? "unix:///none" });
  } catch (error) {
    const [, option = "", what] = /^(\w+): (.*)$/s.exec((error as Error).message) ?? [];
    const flag: Flag | undefined = flags.find((each) => each.option === option);
    if (what === undefined || flag === undefined) throw error;
    throw new UsageError(`${given.get(option)?.from ?? `--${flag.name}`}: ${what}`);
  }
}
