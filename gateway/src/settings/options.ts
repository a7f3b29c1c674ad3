import { isLoopbackName } from "../access/origin.js";
import { LOG_LEVELS, type LogLevel } from "../log/log.js";
import { checkSignIn } from "../redis/credentials/sources.js";
import type { CommandListener } from "../trace/traced-command.js";
import { type AnySetting, SETTINGS, TOKEN_SETTINGS } from "./table.js";

type Table = typeof SETTINGS;

/** The type of a setting's value. */
type ValueOf<S extends AnySetting> = ReturnType<S["kind"]["parse"]>;

type TableOptions = { readonly [K in keyof Table]?: ValueOf<Table[K]> | undefined };

/** An option that no text can give, so that it has no entry in the table. */
interface ProgramOptions {
  /** Called for every command after its reply or failure, with its name and keys, never a value. */
  readonly onCommand?: CommandListener | undefined;
}

/** The options of a gateway. */
export interface GatewayOptions extends TableOptions, ProgramOptions {}

/** Options with every default filled in. */
export type Settings = ProgramOptions & {
  readonly [K in keyof Table]: Table[K]["default"] extends undefined
    ? ValueOf<Table[K]> | undefined
    : ValueOf<Table[K]>;
};

const ENTRIES = Object.entries<AnySetting>(SETTINGS);

/**
 * Checks options and fills in the defaults.
 * @throws {TypeError} names the wrong option and the values that it takes
 */
export function resolveSettings(options: GatewayOptions = {}): Settings {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(SETTINGS, name) && name !== "onCommand")
      throw new TypeError(`${name}: there is no such option`);
  }
  const values: Record<string, unknown> = {};
  for (const [name, { default: value }] of ENTRIES) if (typeof value !== "function") values[name] = value;
  for (const [name, value] of Object.entries(options)) if (value !== undefined) values[name] = value;
  const settings = values as unknown as Settings;
  if (settings.engine !== undefined && settings.redis !== undefined) {
    throw new TypeError("engine, redis: give one of the two, not both");
  }
  for (const [name, { kind, check }] of ENTRIES) {
    if (values[name] === undefined) continue;
    kind.check(values[name], name);
    check?.(values[name]);
  }
  for (const [name, { default: value }] of ENTRIES) {
    if (typeof value === "function" && values[name] === undefined) values[name] = value(values);
  }
  checkCombinations(settings);
  return settings;
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
function checkPair(settings: Settings, cert: keyof Table, key: keyof Table): void {
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
