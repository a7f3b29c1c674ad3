/** Advice in errors about a server that is not an endpoint. */
export const IS_ENDPOINT = "is url that of a Redis HTTP endpoint?";

/** The bytes are not a reply. The executor converts this error into a ProtocolError that names the command. */
export class MalformedReply extends Error {
  override readonly name = "MalformedReply";

  // `warmline/modules` has a copy of this class.
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (value as Error | null | undefined)?.name === "MalformedReply";
  }
}

/** Returns an integer reply: a number, or its digits if a number would round it. */
export function integer(digits: string): number | string {
  if (!/^[+-]?\d{1,20}$/.test(digits)) throw new MalformedReply("an integer is malformed");
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : digits;
}

/** Maximum depth of nested arrays, above that of any reply. It keeps a hostile response from exhausting the stack. */
const MAX_DEPTH = 64;

/** Returns the nesting depth of an array's items. @throws MalformedReply above MAX_DEPTH. */
export function nextDepth(depth: number): number {
  if (depth === MAX_DEPTH) throw new MalformedReply("arrays are nested too deep");
  return depth + 1;
}
