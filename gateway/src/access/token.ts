import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A token for one run: 192 random bits. */
export function randomToken(): string {
  return randomBytes(24).toString("base64url");
}

/** Knows one token and tells it from others in constant time. */
export class TokenGuard {
  readonly #bytes: Buffer;

  constructor(token: string) {
    this.#bytes = digest(token);
  }

  /** Whether `token` is the one. */
  matches(token: string): boolean {
    return timingSafeEqual(digest(token), this.#bytes);
  }
}

/** Of one length whatever the token's, so that not even that shows in the time taken. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The token in an `Authorization` header, or null when it is not of the form `Bearer <token>`. */
export function bearerOf(header: string): string | null {
  if (header.length < 8 || header.slice(0, 7).toLowerCase() !== "bearer ") return null;
  return header.slice(7).trim();
}
