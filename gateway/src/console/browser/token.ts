const NAME = "warmline-gateway-token";

/**
 * The token: from the address, where the gateway's ready lines put it, or as it was given before in this tab. It is taken
 * out of the address at once, so that no bookmark and no screenshot keeps it.
 */
export function findToken(): string | null {
  const given = decodeURIComponent(location.hash.slice(1));
  if (given !== "") {
    keepToken(given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(NAME);
}

/** Keeps the token for this tab. */
export function keepToken(token: string): void {
  sessionStorage.setItem(NAME, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(NAME);
}
