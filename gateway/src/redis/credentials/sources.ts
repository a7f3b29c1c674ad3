import { parseRedisUrl, type RedisUrl } from "../redis-address.js";
import { AuthCommand } from "./auth-command.js";
import { AwsIam } from "./aws/aws-iam.js";
import { connectRequestOf } from "./aws/connect-request.js";
import type { LoginSource } from "./credentials.js";
import { PasswordFile } from "./password-file.js";

/** The settings of passwords that change: see `GatewayOptions`. */
export interface SignInSettings {
  readonly redis?: string | undefined;
  readonly redisPasswordFile?: string | undefined;
  readonly redisAuthCommand?: string | undefined;
  readonly redisAuth?: AuthKind | undefined;
}

/**
 * Where passwords come from, if neither from a file nor from a program.
 *
 * - `password`: the URL
 * - `aws-iam`: tokens that are made with credentials of AWS
 */
export const AUTH_KINDS = ["password", "aws-iam"] as const;
type AuthKind = (typeof AUTH_KINDS)[number];

/** Returns the settings that give a password, and the source of each. At most one of them may be given. */
function sourcesIn(settings: SignInSettings): [name: string, make: (url: RedisUrl) => LoginSource][] {
  const { redisPasswordFile: file, redisAuthCommand: program, redisAuth } = settings;
  const found: ReturnType<typeof sourcesIn> = [];
  if (file !== undefined)
    found.push(["redisPasswordFile", ({ username }) => new PasswordFile(file, username)]);
  if (program !== undefined)
    found.push(["redisAuthCommand", ({ username }) => new AuthCommand(program, username)]);
  if (redisAuth === "aws-iam") found.push(["redisAuth", (url) => new AwsIam(connectRequestOf(url))]);
  return found;
}

/**
 * Returns the source of the password for a Redis at a URL. Null if the URL has all that is needed.
 * @throws {TypeError} when the settings and the URL do not fit, or the file can't be read. The message does not repeat the URL
 */
export function loginSourceOf(settings: SignInSettings, url: string): LoginSource | null {
  const address = parseRedisUrl(url);
  const { username, password } = address;
  const [source] = sourcesIn(settings);
  if (!source) {
    if (username !== "" && password === "") throw new TypeError(`redis: ${NO_PASSWORD}`);
    return null;
  }
  const [name, make] = source;
  if (password !== "") throw new TypeError(`${name}: the URL of the Redis already has a password`);
  return make(address);
}

const NO_PASSWORD =
  "the URL has a user but no password; give it in the URL, or set redisPasswordFile, redisAuthCommand or redisAuth";

/**
 * Checks that passwords come from one place, and that there is a Redis that they are for.
 * @throws {TypeError} that begins with the name of a setting
 */
export function checkSignIn(settings: SignInSettings): void {
  const given = sourcesIn(settings).map(([name]) => name);
  if (given.length > 1) throw new TypeError(`${given.join(", ")}: give one of them`);
  if (settings.redis !== undefined) loginSourceOf(settings, settings.redis);
  else if (given.length === 1) throw new TypeError(`${given[0]}: needs the URL of a Redis, in redis`);
}
