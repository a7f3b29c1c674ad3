import type { StandardSchema, Validation } from "../commands/schema.js";
import type { CommandSpec, Decode } from "../commands/spec.js";
import { SchemaError } from "../errors.js";
import type { RawReply } from "../protocol/reply.js";

/**
 * Reads a reply as its spec does, and returns the output of the schema for its values: a promise where the schema
 * checks asynchronously. What is missing, and so null, is not checked.
 * @throws SchemaError
 */
export function readChecked(
  spec: CommandSpec,
  args: readonly any[],
  schema: StandardSchema,
  reply: RawReply,
  decode: Decode,
  index: number | undefined,
): unknown {
  let values: unknown[] = [];
  let rebuild = (checked: unknown[]): unknown => checked;
  if (spec.schema === "each") {
    spec.reply(reply, (bulk) => values.push(decode(bulk)), args);
    // Read once more, with the schema's outputs in their places.
    let at = 0;
    rebuild = (checked) => spec.reply(reply, () => checked[at++], args);
  } else {
    const whole = spec.reply(reply, decode, args);
    values = spec.schema === "items" ? (whole as unknown[]) : [whole];
    if (spec.schema === "whole") rebuild = ([checked]) => checked;
  }
  const accept = (results: Validation<unknown>[]) =>
    rebuild(
      results.map((result) => {
        if (!result.issues) return result.value;
        // Issues may quote the value.
        const message = `${spec.name}: the value does not match the schema; see the issues of the error`;
        throw new SchemaError(message, result.issues, { command: spec.name, index });
      }),
    );
  const results = values.map((value) =>
    // Inside a reply whatever is decoded is there.
    value === null && spec.schema !== "each" ? { value } : schema["~standard"].validate(value),
  );
  return results.some((result) => result instanceof Promise)
    ? Promise.all(results).then(accept)
    : accept(results as Validation<unknown>[]);
}
