/** Ends what waits on behalf of a token when the token is removed, or when its permissions change. */
export class Revocation {
  readonly #waiting = new Set<() => void>();
  /** Whether the token has been removed or changed. */
  isRevoked = false;

  /** Calls `end` at the revocation. Returns a function that prevents it. */
  add(end: () => void): () => void {
    this.#waiting.add(end);
    return () => this.#waiting.delete(end);
  }

  /** Ends all that waits, since the token has been removed or changed. */
  revoke(): void {
    this.isRevoked = true;
    for (const end of this.#waiting) end();
    this.#waiting.clear();
  }
}
