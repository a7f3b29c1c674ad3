export class TokenNumbers {
  requests = 0;
  /** Requests that ended with a status from 400 on. */
  errors = 0;
  commands = 0;
  requestBytes = 0;
  responseBytes = 0;
}

export class TokenCounts {
  readonly #byName = new Map<string, TokenNumbers>();

  /** Returns the numbers of the token with that name. The caller keeps them as long as the token exists. */
  of(name: string): TokenNumbers {
    const known = this.#byName.get(name);
    if (known) return known;
    const numbers = new TokenNumbers();
    this.#byName.set(name, numbers);
    return numbers;
  }

  [Symbol.iterator](): Iterator<[name: string, numbers: TokenNumbers]> {
    return this.#byName[Symbol.iterator]();
  }
}
