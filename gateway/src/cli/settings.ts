import { readTokenList } from "../access/token-list.js";
import { TokensError } from "../access/tokens.js";
import { nearest as nearestName } from "../config/nearest.js";
import { FileError, pathText } from "../config/yaml-file.js";
import { RedisTls } from "../redis/redis-tls.js";
import { environmentName, flags } from "../settings/flags.js";
import { type GatewayOptions, resolveSettings } from "../settings/options.js";
import type { AnySetting } from "../settings/table.js";
import { parseCommandLine } from "./command-line.js";
import { type Given, readConfigFile } from "./config-file.js";
import { UsageError } from "./usage-error.js";

/** The settings of a run, from the command line, the environment and the config file. */
export interface CliSettings {
  readonly action: "run" | "help" | "version";
  /** Options as the gateway takes them. Absent if they were not given. */
  readonly options: GatewayOptions;
  /** The command to run and its arguments, after `--`; undefined without one. */
  readonly command: readonly string[] | undefined;
}

/**
 * Reads the command line, the environment and the config file, in that order of precedence, and checks
 * all values before anything is started.
 * @throws {UsageError} for the first mistake.
 */
export function readSettings(argv: readonly string[], environment: NodeJS.ProcessEnv): CliSettings {
  const { values, command } = parseCommandLine(argv);
  if (values.help === true) return { action: "help", options: {}, command };
  if (values.version === true) return { action: "version", options: {}, command };
  if (command?.length === 0) throw new UsageError("there is no command after --");

  const given = collect(values, environment);
  chooseRedis(given);
  const options: Record<string, unknown> = {};
  for (const { option, setting } of flags) {
    const value = given.get(option);
    if (value !== undefined) options[option] = parse(setting, value);
  }
  check(options, given);
  return { action: "run", options, command };
}

const PREFIX = environmentName("");
const VARIABLES = [...flags.map(({ variable }) => variable), environmentName("config")];
/** Variables that Kubernetes sets for a Service whose name begins with `warmline-gateway`. */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_[A-Z]+(?:_(?:PROTO|PORT|ADDR))?)$/;

/** @throws {UsageError} for a variable that looks like a setting but is not one */
function checkVariables(environment: NodeJS.ProcessEnv): void {
  for (const [name, value = ""] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || VARIABLES.includes(name)) continue;
    if (SERVICE_LINK.test(name) || (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value))) continue;
    const near = nearestName(name, VARIABLES);
    const advice = near === undefined ? "--help lists all settings" : `did you mean ${near}?`;
    throw new UsageError(`${name}: there is no such setting; ${advice}`);
  }
}

/** Returns the given values by option. A flag overrides a variable, and both override the config file. */
function collect(values: Record<string, unknown>, environment: NodeJS.ProcessEnv): Map<string, Given> {
  checkVariables(environment);
  const nearest = (name: string, variable: string): Given | undefined => {
    const flag = values[name];
    if (flag !== undefined) return { value: flag, from: `--${name}`, isFlag: true };
    const value = environment[variable];
    return value ? { value, from: variable } : undefined;
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
 * Chooses between `redis` and `engine`. A flag on the command line overrides the other setting in the environment or the config
 * file. Two flags conflict, and so do two settings without a flag.
 */
function chooseRedis(given: Map<string, Given>): void {
  const redis = given.get("redis");
  const engine = given.get("engine");
  if (redis === undefined || engine === undefined) return;
  if (redis.isFlag === engine.isFlag) {
    throw new UsageError(
      `${redis.from} and ${engine.from} cannot both be given: use a running Redis, or start one`,
    );
  }
  given.delete(redis.isFlag ? "engine" : "redis");
}

/**
 * Converts a given value to the setting's type.
 * @throws {UsageError} that names the value's source and the expected form. The value is repeated only if it can't be a secret.
 */
function parse({ kind }: AnySetting, { value, from }: Given): unknown {
  try {
    return kind.parse(value, from);
  } catch (error) {
    throw error instanceof TypeError || error instanceof FileError ? new UsageError(error.message) : error;
  }
}

/** Runs the gateway's own checks. Their errors then name the flag, the variable or the line that has the value. */
function check(options: GatewayOptions, given: ReadonlyMap<string, Given>): void {
  try {
    resolveSettings(options);
    // Only to read the files.
    new RedisTls(options, () => {});
    readTokenList(options);
  } catch (error) {
    if (error instanceof TokensError) {
      const { from, placeOf = (keys) => pathText(from, keys) } = given.get("tokens")!;
      throw new UsageError(`${placeOf(error.keys)}: ${error.what}`);
    }
    const [, option = "", problem] = /^(\w+)[\w.[\]]*: (.*)$/s.exec((error as Error).message) ?? [];
    const flag = flags.find((each) => each.option === option);
    if (problem === undefined || flag === undefined) {
      if (error instanceof TypeError || error instanceof FileError) throw new UsageError(error.message);
      throw error;
    }
    throw new UsageError(`${given.get(option)?.from ?? `--${flag.name}`}: ${problem}`);
  }
}
