/** One argument of a command as it is sent, or its name. */
export type CommandArg = string | Uint8Array;

/** An argument that can't be sent. The message says what is wrong with it, without its value: "is undefined". */
export class InvalidArgument extends Error {
  /** Identifies the class, because `warmline/modules` has a copy of it. */
  override readonly name = "InvalidArgument";
  /** Distance from the argument that was being encoded to the invalid one, in arguments of the method. 0 if it is the same. */
  offset = 0;
  /** The place of the problem in the argument, such as `.name` or `[3]`. */
  path = "";
}

/**
 * Encodes a key, field, id, number or other plain argument: text and bytes unchanged, numbers as digits.
 * @throws InvalidArgument for anything else, such as NaN and text with a lone surrogate.
 */
export function toScalarArg(value: unknown): CommandArg {
  if (typeof value === "string" && value.isWellFormed()) return value;
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isNaN(value))) return String(value);
  if (isBytes(value)) return value;
  throw new InvalidArgument(`is ${describe(value)}`);
}

/** Whether a value is a Uint8Array, also one of another realm, such as that of jsdom. */
export const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === "Uint8Array";

/**
 * Encodes a value like the JSON of the REST protocol: booleans and null by their names, objects and arrays as JSON, anything
 * else as {@link toScalarArg} does.
 * @throws InvalidArgument for a value that would not be stored faithfully, such as a promise or a Map.
 */
export function toValueArg(value: unknown): CommandArg {
  if (typeof value === "boolean" || value === null) return String(value);
  return typeof value === "object" && !isBytes(value) ? toJsonArg(value) : toScalarArg(value);
}

function toJsonArg(value: object): string {
  let json: string | undefined;
  let cause: unknown;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  // Visiting each object inside takes as long as serializing it, so the value is checked only if its JSON shows signs of a loss.
  const isSuspect = json && /\{(\}|"0":)|[:[,]null[\]},]|^null$/.test(json);
  const lost = lacksJson(value) ? { part: value } : isSuspect && findLost(value);
  if (lost) {
    const description = describe(lost.part);
    const reason = description.endsWith("?") ? "" : ", which JSON can't hold";
    throw new InvalidArgument(`${lost.part === value ? "is" : "contains"} ${description}${reason}`);
  }
  if (!json) throw new InvalidArgument("can't be serialized as JSON", { cause });
  // An object whose JSON is a string, such as a Date, is stored without the quotes: they would be read as part of the text.
  return json.startsWith('"') ? JSON.parse(json) : json;
}

/** Whether JSON would drop the contents of an object: a Map, a promise, an Error, a typed array, private fields. */
export function lacksJson(value: object): boolean {
  const { then, toJSON } = value as { then?: unknown; toJSON?: unknown };
  if (typeof toJSON === "function") return false;
  if (typeof then === "function" || classOf(value) === "Error" || ArrayBuffer.isView(value)) return true;
  // JSON contains the primitive of a boxed number or text.
  return hasNoProperties(value) && typeof value.valueOf() === "object";
}

/** Whether an instance of a class has no enumerable properties. False for plain objects and arrays. */
export function hasNoProperties(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  // Plain objects of another realm, as in Jest, count as plain too.
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null || Array.isArray(value);
  return !plain && Object.keys(value).length === 0;
}

/** Returns the first part of a value, or the value itself, that JSON would drop or write as null. NaN for an invalid Date. */
function findLost(value: unknown): { readonly part: unknown } | undefined {
  const part = classOf(value) === "Date" ? (value as Date).getTime() : value;
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

const classOf = (value: unknown) => Object.prototype.toString.call(value).slice(8, -1);

/** Returns the kind of a value, never the value itself. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value === "string") return "text with a lone surrogate: send bytes";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  if (typeof (value as PromiseLike<unknown>).then === "function") return "a promise: is an `await` missing?";
  const tag = classOf(value);
  const name = tag === "Object" ? Object.getPrototypeOf(value)?.constructor?.name : tag;
  return name && name !== "Object" ? `an object of class ${name}` : "an object";
}

/** Whether there are bytes among the arguments of a command. JSON can't contain them. */
export function hasBytes(argv: readonly CommandArg[]): boolean {
  for (let i = 1; i < argv.length; i++) if (typeof argv[i] !== "string") return true;
  return false;
}
