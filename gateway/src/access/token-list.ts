import { type FileError, readTextFile, readYamlFile } from "../config/yaml-file.js";
import type { RedisUser } from "../redis/upstream.js";
import { fullName } from "./denial-reasons.js";
import type { Role } from "./roles.js";
import { digestOf } from "./token.js";
import { type ParsedLimits, parseLimits } from "./token-limits.js";
import { checkTokens, TOKEN_FORM, TOKEN_RULE, type TokenOptions, TokensError } from "./tokens.js";

export interface TokenSources {
  /** The main token, which may do all that the gateway lets through. */
  readonly token?: string | undefined;
  /** A file with the main token. */
  readonly tokenFile?: string | undefined;
  readonly tokens?: readonly TokenOptions[] | undefined;
  /** A YAML or JSON file with a list of tokens like `tokens`. */
  readonly tokensFile?: string | undefined;
}

/** A token whose options were checked, and whose secrets were read from their files. */
export interface KnownToken {
  /** For logs. */
  readonly name: string;
  readonly digest: Buffer;
  readonly role: Role;
  readonly user: RedisUser | null;
  /** The prefix of all keys that it may use; undefined for any keys. */
  readonly prefix?: string | undefined;
  /** If given, the only commands that may run, by full names. The name of a container stands for all its subcommands. */
  readonly commands?: ReadonlySet<string> | undefined;
  readonly limits?: ParsedLimits | undefined;
}

/** All current tokens. */
export interface TokenList {
  /** The text of the main token. Empty if there is no main token. */
  readonly main: string;
  readonly tokens: readonly KnownToken[];
  /** The text of every file that was read, by path. A later reading is compared with it to detect changes. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Reads all tokens, including those in files.
 * @throws {TypeError} that names the option, the file and the line at fault, never the line's content
 * @throws {FileError} when a file can't be read; its message begins with the option's name
 */
export function readTokenList(sources: TokenSources): TokenList {
  const files = new Map<string, string>();
  const secretIn = (option: string, path: string): string => {
    const text = inOption(option, () => readTextFile(path));
    files.set(path, text);
    const secret = text.trim();
    if (secret === "") throw new TypeError(`${option}: ${path}: the file is empty`);
    return secret;
  };

  const main = sources.tokenFile ? secretIn("tokenFile", sources.tokenFile) : (sources.token ?? "");
  if (main !== "" && !TOKEN_FORM.test(main)) throw new TypeError(`tokenFile: the token ${TOKEN_RULE}`);
  const tokens = (sources.tokens ?? []).map((each) => knownToken(each, "tokens", secretIn));
  if (sources.tokensFile !== undefined) {
    for (const each of tokensIn(sources.tokensFile, files))
      tokens.push(knownToken(each, "tokensFile", secretIn));
  }
  if (main !== "") tokens.unshift({ name: "main", digest: digestOf(main), role: "admin", user: null });
  const option = sources.tokens ? "tokens" : `tokensFile: ${sources.tokensFile}`;
  const names = new Set<string>();
  const byDigest = new Map<string, string>();
  for (const { name, digest } of tokens) {
    if (names.has(name)) throw new TypeError(`${option}: another token has the name '${name}'`);
    names.add(name);
    const key = digest.toString("hex");
    const other = byDigest.get(key);
    if (other !== undefined) throw new TypeError(`${option}: '${other}' and '${name}' are the same token`);
    byDigest.set(key, name);
  }
  return { main, tokens, files };
}

function tokensIn(path: string, files: Map<string, string>): readonly TokenOptions[] {
  const file = inOption("tokensFile", () => readYamlFile(path));
  files.set(path, file.text);
  const { value } = file;
  const inKey = typeof value === "object" && value !== null && "tokens" in value;
  try {
    return checkTokens(inKey ? (value as { tokens: unknown }).tokens : value);
  } catch (error) {
    if (!(error instanceof TokensError)) throw error;
    const line = file.lineOf(inKey ? ["tokens", ...error.keys] : error.keys);
    throw new TypeError(`tokensFile: ${path}: line ${line}: ${error.message}`);
  }
}

/** @param option names the list that the token is from, in errors */
function knownToken(
  options: TokenOptions,
  option: string,
  secretIn: (option: string, path: string) => string,
): KnownToken {
  const { name, token, tokenFile, tokenSha256, user, prefix, commands, limits } = options;
  const text = tokenFile === undefined ? token : secretIn(option, tokenFile);
  return {
    name,
    digest: text === undefined ? Buffer.from(tokenSha256!, "hex") : digestOf(text),
    role: options.role ?? (user ? "admin" : "standard"),
    user: user
      ? { username: user.username, password: user.password ?? secretIn(option, user.passwordFile!) }
      : null,
    prefix,
    commands: commands && new Set(commands.map(fullName)),
    limits: limits && parseLimits(limits),
  };
}

function inOption<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    (error as FileError).message = `${option}: ${(error as FileError).message}`;
    throw error;
  }
}
