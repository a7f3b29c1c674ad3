import { readTokenList } from "../access/token-list.js";
import { TokensError } from "../access/tokens.js";
import { nearest as nearestName } from "../config/nearest.js";
import { FileError } from "../config/yaml-file.js";
import { RedisTls } from "../redis/redis-tls.js";
import { environmentName, flags } from "../settings/flags.js";
import { type GatewayOptions, resolveSettings } from "../settings/options.js";
import { SETTINGS } from "../settings/table.js";
import { parseCommandLine } from "./command-line.js";
import { readConfigFile } from "./config-file.js";
import { readRedisUrl } from "./redis-secrets.js";
import { UsageError } from "./usage-error.js";
import { type Given, readValue } from "./values.js";

/** The settings of a run, from the command line, the environment and the config file. */
export interface CliSettings {
  readonly action: "run" | "help" | "version";
  /** Options as the gateway takes them; what was not given is undefined. */
  readonly options: Omit<GatewayOptions, "engine">;
  /** Which engine to start; undefined when `redis` names one that runs. */
  readonly engine: string | undefined;
  /** Whether commands are printed as they are run. */
  readonly traceCommands: boolean;
  /** Processes that share the port. */
  readonly workers: number;
  /** The command to run and its arguments, after `--`; undefined without one. */
  readonly command: readonly string[] | undefined;
}

/** The given values by option name. */
type AllGiven = ReadonlyMap<string, Given>;

/**
 * Reads the command line, the environment and the config file, in that order of precedence, and checks
 * all values before anything is started.
 * @throws {UsageError} at the first thing wrong.
 */
export function readSettings(argv: readonly string[], environment: NodeJS.ProcessEnv): CliSettings {
  const { values, command } = parseCommandLine(argv);
  const idle = { options: {}, engine: undefined, traceCommands: false, workers: 1, command };
  if (values.help === true) return { action: "help", ...idle };
  if (values.version === true) return { action: "version", ...idle };
  if (command?.length === 0) throw new UsageError("there is no command after --");

  const given = collect(values, environment);
  const own = ownRedisOf(given);
  const options: Record<string, unknown> = {};
  for (const { option, setting } of flags) {
    const value = given.get(option);
    if (value !== undefined && setting.scope === "everywhere") options[option] = readValue(setting, value);
  }
  const overruled = own && (given.has("redis") || given.has("redisFile"));
  options.redis = overruled ? undefined : readRedisUrl(given);
  check(options, given);
  return {
    action: "run",
    options,
    engine: own ? commandLineValue("engine", given) : undefined,
    traceCommands: commandLineValue("traceCommands", given),
    workers: commandLineValue("workers", given),
    command,
  };
}

/** Returns the value of a setting that is no option of the gateway, or its default. */
function commandLineValue<K extends "engine" | "traceCommands" | "workers">(name: K, all: AllGiven) {
  const setting = SETTINGS[name];
  const given = all.get(name);
  return given === undefined
    ? (setting.default as ReturnType<(typeof SETTINGS)[K]["kind"]["parse"]>)
    : readValue(setting, given);
}

const PREFIX = environmentName("");
const VARIABLES = [...flags.map(({ variable }) => variable), environmentName("config")];
/** Variables that Kubernetes sets for a Service whose name begins with `warmline-gateway`. */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_[A-Z]+(?:_(?:PROTO|PORT|ADDR))?)$/;

/** @throws {UsageError} for a variable that looks like a setting but is not one */
function checkVariables(environment: NodeJS.ProcessEnv): void {
  for (const [name, value = ""] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || VARIABLES.includes(name)) continue;
    if (SERVICE_LINK.test(name) || /^[a-z]+:\/\//.test(value)) continue;
    const near = nearestName(name, VARIABLES);
    const advice = near === undefined ? "--help lists all settings" : `did you mean ${near}?`;
    throw new UsageError(`${name}: there is no such setting; ${advice}`);
  }
}

/** All values given, by the name of the option, the nearest source first. */
function collect(values: Record<string, unknown>, environment: NodeJS.ProcessEnv): AllGiven {
  checkVariables(environment);
  const nearest = (name: string, variable: string): Given | undefined => {
    const flag = values[name];
    if (flag !== undefined) return { value: flag, from: `--${name}`, rank: 0 };
    const value = environment[variable];
    return value ? { value, from: variable, rank: 1 } : undefined;
  };
  const config = nearest("config", environmentName("config"));
  const file = config && readConfigFile(String(config.value));
  const given = new Map<string, Given>();
  for (const { name, option, variable } of flags) {
    const value = nearest(name, variable) ?? file?.get(option);
    if (value === undefined) continue;
    if (typeof value.value === "string" && value.value.trim() === "")
      throw new UsageError(`${value.from}: is empty`);
    given.set(option, value);
  }
  return given;
}

/**
 * Whether the gateway starts a Redis of its own. A flag on the command line overrides the other setting in the environment or
 * the config file. Two flags conflict, and so do two settings without a flag.
 */
function ownRedisOf(given: AllGiven): boolean {
  const redis = given.get("redis") ?? given.get("redisFile");
  const engine = given.get("engine");
  if (redis === undefined) return true;
  if (engine === undefined) return false;
  if ((redis.rank === 0) === (engine.rank === 0)) {
    throw new UsageError(
      `${redis.from} and ${engine.from} cannot both be given: use a running Redis, or start one`,
    );
  }
  return engine.rank === 0;
}

/** Lets the gateway's own checks speak, in terms of where the value came from. */
function check(options: GatewayOptions, given: AllGiven): void {
  try {
    resolveSettings(options);
    // Only to read the files.
    new RedisTls(options, () => {});
    readTokenList(options);
  } catch (error) {
    if (error instanceof TokensError) {
      const place = given.get("tokens")?.placeOf?.(error.keys);
      if (place !== undefined) throw new UsageError(`${place}: ${error.what}`);
    }
    const [, option = "", what] = /^(\w+)[\w.[\]]*: (.*)$/s.exec((error as Error).message) ?? [];
    const flag = flags.find((each) => each.option === option);
    if (what === undefined || flag === undefined) {
      if (error instanceof TypeError || error instanceof FileError) throw new UsageError(error.message);
      throw error;
    }
    throw new UsageError(`${given.get(option)?.from ?? `--${flag.name}`}: ${what}`);
  }
}
