import { isLoopbackName } from "../access/origin.js";
import type { Engine } from "../engine/engine.js";
import { LOG_LEVELS, type LogLevel } from "../log/log.js";
import { checkSignIn } from "../redis/credentials/sources.js";
import type { CommandListener } from "../trace/traced-command.js";
import { type AnySetting, SETTINGS, TOKEN_SETTINGS } from "./table.js";

type Table = typeof SETTINGS;

/** The names of the settings that a program gives as options. */
type OptionName = {
  [K in keyof Table]: Table[K]["scope"] extends "everywhere" ? K : never;
}[keyof Table];

/** The type of a setting's value. */
type ValueOf<S extends AnySetting> = ReturnType<S["kind"]["parse"]>;

type TableOptions = { readonly [K in keyof Pick<Table, OptionName>]?: ValueOf<Table[K]> | undefined };

/** Options that no text can give, so that they have no entry in the table, or another type. */
interface ProgramOptions {
  /**
   * The engine to start, and to close with the gateway. Default: `"auto"`.
   *
   * - `"auto"`: a `redis-server` or `valkey-server` on PATH, else the embedded engine
   * - `"embedded"`: the embedded engine
   * - another string: the path of a server
   * - an {@link Engine} already started
   */
  readonly engine?: "auto" | "embedded" | (string & {}) | Engine | undefined;
  /** Called for every command after its reply or failure, with its name and keys, never a value. */
  readonly onCommand?: CommandListener | undefined;
}

/** The options of a gateway. */
export interface GatewayOptions extends TableOptions, ProgramOptions {}

/** Options with every default filled in. */
export type Settings = ProgramOptions & {
  readonly [K in OptionName]: Table[K]["default"] extends undefined
    ? ValueOf<Table[K]> | undefined
    : ValueOf<Table[K]>;
};

const PROGRAM_OPTIONS: readonly string[] = ["engine", "onCommand"] satisfies (keyof ProgramOptions)[];

/** The table's entries that are options of programs. */
const OPTIONS = Object.entries<AnySetting>(SETTINGS).filter(([, { scope }]) => scope === "everywhere");
const OPTION_NAMES = new Set([...OPTIONS.map(([name]) => name), ...PROGRAM_OPTIONS]);

/**
 * Checks options and fills in the defaults.
 * @throws {TypeError} names the wrong option and the values that it takes
 */
export function resolveSettings(options: GatewayOptions = {}): Settings {
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.has(name)) throw new TypeError(`${name}: there is no such option`);
  }
  const values: Record<string, unknown> = {};
  for (const [name, { default: value }] of OPTIONS) if (typeof value !== "function") values[name] = value;
  for (const [name, value] of Object.entries(options)) if (value !== undefined) values[name] = value;
  const settings = values as unknown as Settings;
  if (settings.engine !== undefined && settings.redis !== undefined) {
    throw new TypeError("engine, redis: give one of the two, not both");
  }
  for (const [name, setting] of OPTIONS) {
    if (values[name] !== undefined) checkValue(name, setting, values[name]);
  }
  for (const [name, { default: value }] of OPTIONS) {
    if (typeof value === "function" && values[name] === undefined) values[name] = value(values);
  }
  checkCombinations(settings);
  return settings;
}

/**
 * Checks the value of a setting by its entry.
 * @throws {TypeError} that begins with the setting's name
 */
export function checkValue(name: string, { kind, check }: AnySetting, value: unknown): void {
  kind.check(value, name);
  check?.(value);
}

/** Whether any token was given, so that no random one is created. */
export function hasToken(options: GatewayOptions): boolean {
  return TOKEN_SETTINGS.some((name) => options[name] !== undefined);
}

/** Checks what no entry can check for itself: options that need or exclude each other. */
function checkCombinations(settings: Settings): void {
  const { onCommand, softMaxConnections, maxConnections, token, tokenFile } = settings;
  if (onCommand !== undefined && typeof onCommand !== "function")
    throw new TypeError("onCommand: must be a function");
  if (softMaxConnections > maxConnections) {
    throw new TypeError(`softMaxConnections: must not be above maxConnections, which is ${maxConnections}`);
  }
  checkPair(settings, "tlsCert", "tlsKey");
  checkPair(settings, "redisCert", "redisKey");
  if (token !== undefined && tokenFile !== undefined) {
    throw new TypeError("token, tokenFile: give one of the two, not both");
  }
  if (!hasToken(settings) && !isLoopbackName(settings.host)) {
    throw new TypeError("token: must be given to listen beyond loopback; set token, or host to 127.0.0.1");
  }
  if (settings.nearPrefix.length > 0 && settings.readPolicy !== "primary") {
    throw new TypeError(
      "nearPrefix: needs readPolicy primary, since a replica may return a value from before a change",
    );
  }
  if (settings.allowedHosts.length > 0 && !isLoopbackName(settings.host)) {
    throw new TypeError(
      "allowedHosts: applies only to a loopback host; on any other, all names in the Host header are accepted",
    );
  }
  checkLogs(settings);
  checkOtherRedis(settings);
  checkSignIn(settings);
}

/** Checks that a certificate and its key are set together. */
function checkPair(settings: Settings, cert: OptionName, key: OptionName): void {
  const [lone, ...more] = [cert, key].filter((name) => settings[name] !== undefined);
  if (lone !== undefined && more.length === 0)
    throw new TypeError(`${lone}: ${cert} and ${key} must be set together`);
}

/** Checks that lines which were chosen explicitly are not below the log's level. */
function checkLogs({ logLevel, logRequests, slowLog }: Settings): void {
  const writes = (level: LogLevel) => LOG_LEVELS.indexOf(logLevel) >= LOG_LEVELS.indexOf(level);
  if (logRequests && !writes("info"))
    throw new TypeError("logRequests: needs logLevel info or debug, since its lines have the level info");
  if (slowLog > 0 && !writes("warn"))
    throw new TypeError("slowLog: needs logLevel warn, info or debug, since its lines have the level warn");
}

function checkOtherRedis({ redis, engine, persist, seed }: Settings): void {
  const other = redis !== undefined ? "redis" : typeof engine === "object" ? "engine" : null;
  const use =
    persist !== undefined
      ? "persist: keeps the data of"
      : seed !== undefined
        ? "seed: runs commands on"
        : null;
  if (other !== null && use !== null)
    throw new TypeError(`${use} a Redis that the gateway starts, and ${other} names another one`);
}
