import { randomBytes, timingSafeEqual } from "node:crypto";

/** A token for one run: 192 random bits. */
export function randomToken(): string {
  return randomBytes(24).toString("base64url");
}

/** Knows one token and tells it from others in constant time, their length aside. */
export class TokenGuard {
  readonly #bytes: Buffer;

  constructor(token: string) {
    this.#bytes = Buffer.from(token);
  }

  /** Whether `token` is the one. */
  matches(token: string): boolean {
    const given = Buffer.from(token);
    return given.length === this.#bytes.length && timingSafeEqual(given, this.#bytes);
  }
}

/** The token in an `Authorization` header, or null when it is not of the form `Bearer <token>`. */
export function bearerOf(header: string): string | null {
  if (header.length < 8 || header.slice(0, 7).toLowerCase() !== "bearer ") return null;
  return header.slice(7).trim();
}
