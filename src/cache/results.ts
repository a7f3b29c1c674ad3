import type { StandardSchema } from "../commands/schema.js";
import { ArgumentError, SchemaError } from "../errors.js";
import { describe, lacksJson } from "../protocol/args.js";

/**
 * Returns a result as text: JSON, or empty text for undefined.
 * @param label begins the messages of errors.
 * @param converted whether a schema converts the JSON of objects with toJSON, such as a Date, back to objects.
 * @throws ArgumentError if JSON would change the result.
 */
export function encodeResult(label: string, result: unknown, converted: boolean): string {
  if (result === undefined) return "";
  try {
    return JSON.stringify(result, function (this: Record<string, unknown>, name, written) {
      assertJson(label, this[name], written, Array.isArray(this), converted);
      return written;
    });
  } catch (cause) {
    if (cause instanceof ArgumentError) throw cause;
    throw new ArgumentError(`${label}: the result can't be serialized as JSON`, { cause });
  }
}

/**
 * @param written the part, or the return value of its toJSON, such as null for an invalid Date.
 * @throws ArgumentError for a part of a result that JSON would drop or change. A member whose value is undefined may be dropped.
 */
function assertJson(
  label: string,
  part: unknown,
  written: unknown,
  inArray: boolean,
  converted: boolean,
): void {
  const type = typeof written;
  const writesItself = typeof (part as { toJSON?: unknown } | null | undefined)?.toJSON === "function";
  const isLost =
    type === "bigint" ||
    type === "function" ||
    type === "symbol" ||
    (type === "number" && !Number.isFinite(written)) ||
    (written === undefined && (inArray || writesItself)) ||
    (written === null && writesItself) ||
    (typeof written === "object" && written !== null && lacksJson(written));
  if (!isLost && (converted || !writesItself)) return;
  const description = typeof part === "number" ? String(part) : describe(part);
  let reason = "which returns from JSON as another type: convert it, or use `cached` with a schema";
  if (isLost) reason = writesItself ? `whose toJSON returns ${describe(written)}` : "which JSON can't hold";
  throw new ArgumentError(`${label}: the result contains ${description}, ${reason}`);
}

/**
 * Decodes a text of {@link encodeResult}. Returns the result, or the output of the schema for it.
 * @throws SchemaError if it does not match the schema.
 */
export async function decodeResult(text: string, schema: StandardSchema | undefined): Promise<unknown> {
  const result: unknown = text === "" ? undefined : JSON.parse(text);
  if (!schema || result === null || result === undefined) return result;
  const checked = await schema["~standard"].validate(result);
  if (!checked.issues) return checked.value;
  // Issues may quote the result.
  const message = "cached: the result does not match the schema: see error.issues";
  throw new SchemaError(message, checked.issues, {});
}
