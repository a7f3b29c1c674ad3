/** One argument of a command as it is sent, or its name. */
export type CommandArg = string | Uint8Array;

/** An argument that can't be sent. The message says what is wrong with it, without its value: "is undefined". */
export class InvalidArgument extends Error {
  /** Goes by this where `warmline/modules` has a copy of the class. */
  override readonly name = "InvalidArgument";
  /** The number of the method's arguments between the one that was being encoded and this one. */
  offset = 0;
  /** The place of the problem in the argument, such as `.name` or `[3]`. */
  path = "";
}

/**
 * Turns a key, field, id, number or other plain argument into what is sent: text as it is, numbers by their digits,
 * bytes as they are.
 * @throws InvalidArgument for anything else, NaN and text with a lone surrogate among it.
 */
export function toScalarArg(given: unknown): CommandArg {
  if (typeof given === "string" && given.isWellFormed()) return given;
  if (typeof given === "bigint" || (typeof given === "number" && !Number.isNaN(given))) return String(given);
  if (isBytes(given)) return given;
  throw new InvalidArgument(`is ${describe(given)}`);
}

/** Whether a value is a Uint8Array, also one of another realm, such as that of jsdom. */
export const isBytes = (given: unknown): given is Uint8Array =>
  ArrayBuffer.isView(given) && (given as Uint8Array)[Symbol.toStringTag] === "Uint8Array";

/**
 * Turns a value into what is sent, as the JSON of the REST protocol would: booleans and null by their names, objects and
 * arrays as JSON, everything else as {@link toScalarArg} does.
 * @throws InvalidArgument for what has no faithful form, such as a promise or a Map.
 */
export function toValueArg(given: unknown): CommandArg {
  if (typeof given === "boolean" || given === null) return String(given);
  return typeof given === "object" && !isBytes(given) ? toJsonArg(given) : toScalarArg(given);
}

function toJsonArg(given: object): string {
  let json: string | undefined;
  let cause: unknown;
  try {
    json = JSON.stringify(given);
  } catch (error) {
    cause = error;
  }
  // Looking at every object inside takes as long as writing it: only JSON that shows signs of a loss is worth that.
  const isSuspect = json && /\{(\}|"0":)|[:[,]null[\]},]|^null$/.test(json);
  const lost = lacksJson(given) ? { part: given } : isSuspect && findLost(given);
  if (lost) {
    const what = describe(lost.part);
    const why = what.endsWith("?") ? "" : ", which JSON can't hold";
    throw new InvalidArgument(`${lost.part === given ? "is" : "contains"} ${what}${why}`);
  }
  if (!json) throw new InvalidArgument("is an object that can't be serialized as JSON", { cause });
  // A Date, or any object whose JSON is a string, is stored as that text: quotes would come back as part of it.
  return json.startsWith('"') ? JSON.parse(json) : json;
}

/** Whether JSON would drop what an object holds: a Map, a promise, an Error, a typed array, private fields. */
export function lacksJson(given: object): boolean {
  const { then, toJSON } = given as { then?: unknown; toJSON?: unknown };
  if (typeof toJSON === "function") return false;
  if (typeof then === "function" || classOf(given) === "Error" || ArrayBuffer.isView(given)) return true;
  // A boxed number or text is written as what it holds.
  return hasNoProperties(given) && typeof given.valueOf() === "object";
}

/** Whether an object of a class shows nothing of what it holds as properties. A plain empty object has nothing to show. */
export function hasNoProperties(given: object): boolean {
  const prototype = Object.getPrototypeOf(given);
  // Plain objects of another realm, as in Jest, count as plain too.
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null || Array.isArray(given);
  return !plain && Object.keys(given).length === 0;
}

/** Returns the first part of a value, or the value itself, that JSON would drop, or write as null: of an invalid Date, NaN. */
function findLost(given: unknown): { readonly part: unknown } | undefined {
  const part = classOf(given) === "Date" ? (given as Date).getTime() : given;
  if (typeof part === "number" && !Number.isFinite(part)) return { part };
  if (typeof part !== "object" || part === null || typeof (part as Date).toJSON === "function")
    return undefined;
  if (lacksJson(part)) return { part };
  for (const item of Object.values(part)) {
    const found = findLost(item);
    if (found) return found;
  }
  return undefined;
}

const classOf = (given: unknown) => Object.prototype.toString.call(given).slice(8, -1);

/** Names what kind of thing a value is, never the value itself. */
export function describe(given: unknown): string {
  if (given === null || given === undefined) return String(given);
  if (typeof given === "number" && !Number.isFinite(given)) return String(given);
  if (typeof given === "string") return "text with a lone surrogate: send bytes instead";
  if (Array.isArray(given)) return "an array";
  if (typeof given !== "object") return `a ${typeof given}`;
  if (typeof (given as PromiseLike<unknown>).then === "function") return "a promise: is an `await` missing?";
  const tag = classOf(given);
  const name = tag === "Object" ? Object.getPrototypeOf(given)?.constructor?.name : tag;
  return name && name !== "Object" ? `an object of class ${name}` : "an object";
}

/** Whether there are bytes among its arguments, which JSON can't carry. */
export function hasBytes(argv: readonly CommandArg[]): boolean {
  for (let i = 1; i < argv.length; i++) if (typeof argv[i] !== "string") return true;
  return false;
}
