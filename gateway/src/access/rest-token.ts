import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";
import type { UpstreamFailure } from "../redis/failure.js";
import { PushConnection, type PushConnectionOptions } from "../redis/push-connection.js";
import { sendOnce } from "../redis/send-once.js";
import type { RedisUser } from "../redis/upstream.js";
import { command } from "../resp/command.js";
import { refused } from "./denial-reasons.js";

/** The prefix of every token of this kind. */
const MARK = "wlu1_";
const NONCE = 12;
const TAG = 16;

/**
 * Creates and opens the tokens of `ACL RESTTOKEN`. A token is a Redis user's name and password, sealed with AES-256-GCM. Every
 * gateway with the same secret accepts it, and none has to store it.
 */
export class RestTokens {
  readonly #secret: string;
  #made: Buffer | undefined;

  /** @param secret seals the tokens. Tokens sealed with another secret are refused. */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** The key, derived slowly on purpose, since the secret may be a weak token. It is derived when first needed. */
  get #key(): Buffer {
    this.#made ??= scryptSync(this.#secret, "warmline-gateway ACL RESTTOKEN", 32);
    return this.#made;
  }

  /** The token of a user. Each call gives another one that stands for the same. */
  seal({ username, password }: RedisUser): string {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    const sealed = [cipher.update(JSON.stringify([username, password])), cipher.final()];
    return MARK + Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString("base64url");
  }

  /** The user that a token stands for; null when it is none of these tokens. */
  open(token: string): RedisUser | null {
    if (!token.startsWith(MARK)) return null;
    const bytes = Buffer.from(token.slice(MARK.length), "base64url");
    // One token has one spelling.
    if (bytes.length <= NONCE + TAG || MARK + bytes.toString("base64url") !== token) return null;
    const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, NONCE));
    decipher.setAuthTag(bytes.subarray(-TAG));
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]);
      const [username, password] = JSON.parse(text.toString());
      return { username, password };
    } catch {
      return null;
    }
  }
}

/**
 * Whether Redis takes this user and password, tried on a connection of its own.
 * @returns null when it does, else Redis's error text
 */
export function checkUser(user: RedisUser, options: PushConnectionOptions): Promise<string | null> {
  return new Promise((resolve) => {
    const connection = new PushConnection(
      { ...options, credentials: undefined, handshake: [command("AUTH", user.username, user.password)] },
      {
        onUp() {
          connection.close();
          resolve(null);
        },
        onReply() {},
        onDown(reason) {
          const [, error] = /^it replied (.*)$/s.exec(reason) ?? [];
          resolve(error ?? `ERR the password can't be checked: ${reason}`);
        },
      },
    );
    connection.open();
  });
}

/**
 * Checks whether Redis lets the user of `options` administer this user.
 * @returns null if it does, else an error text
 */
export async function checkAdministrator(
  username: string,
  options: PushConnectionOptions,
): Promise<string | null> {
  try {
    await sendOnce(options, command("ACL", "GETUSER", username));
    return null;
  } catch (error) {
    const { message } = error as UpstreamFailure;
    if (/^it replied NOPERM/.test(message)) return refused("acl|resttoken");
    return `ERR the permission can't be checked: ${message}`;
  }
}
