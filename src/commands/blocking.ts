/** Commands that may wait at the server, such as BLPOP, XREAD and WAIT. */
const WAITS = /^(B[LRZ]|XREAD|WAIT)/;

/**
 * Returns the time in ms for which a command may block at the server: Infinity for 0, undefined if it does not block.
 * It is 0 for a malformed timeout, which the server refuses.
 */
export function blockingTime(argv: readonly unknown[]): number | undefined {
  const name = argv[0] as string;
  if (!WAITS.test(name)) return undefined;
  // Index of the timeout argument. Commands that begin with B take seconds, others milliseconds.
  let at = name.endsWith("MPOP") ? 1 : name.endsWith("MOVEM") ? 5 : argv.length - 1;
  if (name.startsWith("X")) {
    const is = (option: RegExp) => option.test(String(argv[at]));
    // A group and its consumer may be named like an option.
    for (at = 1; at < argv.length && !is(/^(block|streams)$/i); at++) if (is(/^group$/i)) at += 2;
    if (!is(/^block$/i)) return undefined;
    at++;
  }
  const wait = Number(argv[at]) * (name.startsWith("B") ? 1000 : 1);
  return Number.isNaN(wait) ? 0 : wait > 0 ? wait : Infinity;
}
