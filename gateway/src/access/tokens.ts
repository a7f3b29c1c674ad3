import { allCommandInfo } from "../commands/command-info.js";
import { nearest } from "../config/nearest.js";
import { pathText } from "../config/yaml-file.js";
import { fullName } from "./denial-reasons.js";
import { ROLES, type Role } from "./roles.js";
import { LIMIT_FIELDS, limitProblem, type TokenLimits } from "./token-limits.js";

/** A token and what its bearer may do. */
export interface TokenOptions {
  /** The token's name in logs. */
  readonly name: string;
  /** The token that clients send: visible ASCII without spaces. Exactly one of `token`, `tokenFile` and `tokenSha256` must be given. */
  readonly token?: string;
  /** A file that holds it; read again when it changes. */
  readonly tokenFile?: string;
  /** Its SHA-256 in hexadecimal, so that the token itself is stored nowhere. */
  readonly tokenSha256?: string;
  /**
   * `standard` (default): data, scripts and channels. `read-only`: reads of keys that are named. `admin`: all that
   * the gateway lets through; the default where `user` is given. `metrics`: `/metrics` alone.
   */
  readonly role?: Role;
  /** The user of Redis's own access control lists that its commands run as. */
  readonly user?: {
    readonly username: string;
    readonly password?: string;
    /** A file that holds the password; read again when it changes. */
    readonly passwordFile?: string;
  };
  /** Keys and channels must begin with this. */
  readonly prefix?: string;
  /** If given, these commands and no others, of those that the role allows: `GET`, `CONFIG GET`, or `XINFO` for all its subcommands. */
  readonly commands?: readonly string[];
  /** The token's limits. Default: only its share of the limits common to all tokens. */
  readonly limits?: TokenLimits;
}

const SECRETS = ["token", "tokenFile", "tokenSha256"];
const FIELDS = ["name", ...SECRETS, "role", "user", "prefix", "commands", "limits"];
const USER_FIELDS = ["username", "password", "passwordFile"];
const STREAM_COMMANDS = ["SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "MONITOR"];

/** The form of a token, which must fit in a header. */
export const TOKEN_FORM = /^[\x21-\x7e]+$/;
export const TOKEN_RULE = "must be visible ASCII characters without spaces, since it travels in a header";

/** An error in a list of tokens. `keys` is the path to it: property names and indexes. */
export class TokensError extends TypeError {
  constructor(
    readonly keys: readonly (string | number)[],
    readonly what: string,
  ) {
    super(`${pathText("tokens", keys)}: ${what}`);
  }
}

/**
 * Checks a list of tokens from a file or from options.
 * @throws {TokensError} at the first thing wrong; no value is repeated
 */
export function checkTokens(value: unknown): readonly TokenOptions[] {
  if (!Array.isArray(value)) throw new TokensError([], "must be a list of tokens");
  const names = new Set<string>();
  value.forEach((entry, index) => {
    checkToken(entry, index);
    if (names.has(entry.name)) throw new TokensError([index, "name"], "another token has this name");
    names.add(entry.name);
  });
  return value;
}

function checkToken(entry: unknown, index: number): void {
  if (!isRecord(entry)) throw new TokensError([index], "must have a name and a token");
  checkFields(entry, FIELDS, [index]);
  const wrong = (field: string, what: string) => new TokensError([index, field], what);
  checkTexts(entry, ["name", ...SECRETS, "prefix"], [index]);
  if (entry.name === undefined) throw new TokensError([index], "needs a name, which is shown in logs");
  const given = SECRETS.filter((field) => entry[field] !== undefined);
  if (given.length !== 1)
    throw new TokensError([index], "needs exactly one of token, tokenFile and tokenSha256");
  if (entry.token !== undefined && !TOKEN_FORM.test(entry.token as string)) throw wrong("token", TOKEN_RULE);
  if (entry.tokenSha256 !== undefined && !/^[0-9a-f]{64}$/i.test(entry.tokenSha256 as string))
    throw wrong("tokenSha256", "must be 64 hexadecimal digits");
  if (entry.role !== undefined && !ROLES.includes(entry.role as Role))
    throw wrong("role", `must be one of ${ROLES.join(", ")}`);
  if (entry.user !== undefined) checkUser(entry.user, index);
  if (entry.commands !== undefined) checkCommands(entry.commands, index);
  if (entry.limits !== undefined) checkLimits(entry.limits, index);
}

function checkLimits(limits: unknown, index: number): void {
  if (!isRecord(limits)) throw new TokensError([index, "limits"], `must have ${LIMIT_FIELDS.join(", ")}`);
  checkFields(limits, LIMIT_FIELDS, [index, "limits"]);
  for (const field of LIMIT_FIELDS) {
    const problem = limits[field] === undefined ? null : limitProblem(field, limits[field]);
    if (problem !== null) throw new TokensError([index, "limits", field], problem);
  }
}

function checkUser(user: unknown, index: number): void {
  if (!isRecord(user)) throw new TokensError([index, "user"], "must have a username and a password");
  checkFields(user, USER_FIELDS, [index, "user"]);
  checkTexts(user, USER_FIELDS, [index, "user"]);
  if (user.username === undefined) throw new TokensError([index, "user"], "needs a username");
  if ((user.password === undefined) === (user.passwordFile === undefined))
    throw new TokensError([index, "user"], "needs a password or a passwordFile, and not both");
}

function checkCommands(commands: unknown, index: number): void {
  if (!Array.isArray(commands)) throw new TokensError([index, "commands"], "must be a list of command names");
  const known = new Set([...allCommandInfo()].map(({ name }) => name).concat(STREAM_COMMANDS));
  commands.forEach((name, at) => {
    if (typeof name === "string" && known.has(fullName(name))) return;
    const near = typeof name === "string" ? nearest(name.toUpperCase(), [...known]) : undefined;
    const advice = near === undefined ? "" : `; did you mean ${near}?`;
    throw new TokensError([index, "commands", at], `there is no such command${advice}`);
  });
}

function checkFields(record: object, known: readonly string[], keys: readonly (string | number)[]): void {
  for (const field of Object.keys(record)) {
    if (known.includes(field)) continue;
    const near = nearest(field, known);
    // Another name may hold a secret: YAML takes `{ name: a, token:s }` for the field `token:s` without a value.
    if (near === undefined)
      throw new TokensError(keys, `has an unknown field; known fields: ${known.join(", ")}`);
    throw new TokensError([...keys, field], `unknown field; did you mean "${near}"?`);
  }
}

function checkTexts(
  record: Record<string, unknown>,
  fields: readonly string[],
  keys: readonly (string | number)[],
): void {
  for (const field of fields) {
    const value = record[field];
    if (value !== undefined && (typeof value !== "string" || value === ""))
      throw new TokensError([...keys, field], "must be a non-empty string");
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
