const NAME = "warmline-gateway-token";

/**
 * Returns the token: from the address, where the gateway's ready lines put it, or the one kept for this tab. It is removed from
 * the address at once, so that no bookmark and no screenshot contains it.
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
