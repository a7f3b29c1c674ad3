import { parseRedisUrl } from "../redis-address.js";
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

/** Returns the names of the settings that give a password. */
function givenIn({ redisPasswordFile, redisAuthCommand, redisAuth }: SignInSettings): string[] {
  return [
    ...(redisPasswordFile === undefined ? [] : ["redisPasswordFile"]),
    ...(redisAuthCommand === undefined ? [] : ["redisAuthCommand"]),
    ...(redisAuth === "aws-iam" ? ["redisAuth"] : []),
  ];
}

/**
 * Returns the source of the password for a Redis at a URL. Null if the URL has all that is needed.
 * @throws {TypeError} when the settings and the URL do not fit, or the file can't be read. The message does not repeat the URL
 */
export function loginSourceOf(settings: SignInSettings, url: string): LoginSource | null {
  const address = parseRedisUrl(url);
  const { username, password } = address;
  const { redisPasswordFile, redisAuthCommand } = settings;
  const [name] = givenIn(settings);
  if (name === undefined && username !== "" && password === "") throw new TypeError(`redis: ${NO_PASSWORD}`);
  if (name === undefined) return null;
  if (password !== "") throw new TypeError(`${name}: the URL of the Redis already has a password`);
  if (redisPasswordFile !== undefined) return new PasswordFile(redisPasswordFile, username);
  if (redisAuthCommand !== undefined) return new AuthCommand(redisAuthCommand, username);
  return new AwsIam(connectRequestOf(address));
}

const NO_PASSWORD =
  "the URL has a user but no password; give it in the URL, or set redisPasswordFile, redisAuthCommand or redisAuth";

/**
 * Checks that passwords come from one place, and that there is a Redis that they are for.
 * @throws {TypeError} that begins with the name of a setting
 */
export function checkSignIn(settings: SignInSettings): void {
  const given = givenIn(settings);
  if (given.length > 1) throw new TypeError(`${given.join(", ")}: give one of them`);
  if (settings.redis !== undefined) loginSourceOf(settings, settings.redis);
  else if (given.length === 1) throw new TypeError(`${given[0]}: needs the URL of a Redis, in redis`);
}
