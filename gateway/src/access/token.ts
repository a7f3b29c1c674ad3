import { createHash, randomBytes } from "node:crypto";

/** A token for one run: 192 random bits. */
export function randomToken(): string {
  return randomBytes(24).toString("base64url");
}

/**
 * The SHA-256 of a token. Digests are compared instead of tokens, so that the time of a comparison reveals nothing about a
 * token.
 */
export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The token in an `Authorization` header, or null when it is not of the form `Bearer <token>`. */
export function bearerOf(header: string): string | null {
  return /^bearer (.+)$/is.exec(header)?.[1]?.trim() ?? null;
}
