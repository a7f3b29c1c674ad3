import type { StandardSchema, Validation } from "../commands/schema.js";
import { SchemaError } from "../errors.js";
import { ErrorReply, type RawReply } from "../protocol/reply.js";
import type { Command } from "./command.js";

/**
 * Returns a command's value from its reply, or a promise of it if the schema validates asynchronously.
 * @throws the reply if it is an ErrorReply; MalformedReply if the command can't have this reply; SchemaError.
 */
export function decodeReply(command: Command, reply: RawReply): unknown {
  const { inContext } = command;
  if (reply instanceof ErrorReply) throw reply;
  return inContext ? inContext(() => readValue(command, reply)) : readValue(command, reply);
}

function readValue(command: Command, reply: RawReply): unknown {
  const { spec, args, codec, schema } = command;
  return schema ? readChecked(command, schema, reply) : spec.reply(reply, codec.decode, args);
}

/** Returns the output of the schema for the values of a reply. Missing values, which are null, are not checked. */
function readChecked(
  { spec, args, codec: { decode }, index }: Command,
  schema: StandardSchema,
  reply: RawReply,
): unknown {
  let values: unknown[] = [];
  let rebuild = (checked: unknown[]): unknown => checked;
  if (spec.schema === "each") {
    spec.reply(reply, (bulk) => values.push(decode(bulk)), args);
    // Read again, with the schema's outputs in place of the values.
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
        const message = `${spec.name}: the value does not match the schema: see error.issues`;
        throw new SchemaError(message, result.issues, { command: spec.name, index });
      }),
    );
  const results = values.map((value) =>
    // With `each` a null is a stored JSON null, not a missing value.
    value === null && spec.schema !== "each" ? { value } : schema["~standard"].validate(value),
  );
  // Not by `instanceof Promise`, which is false for a promise of another realm.
  return results.some((result) => "then" in result)
    ? Promise.all(results).then(accept)
    : accept(results as Validation<unknown>[]);
}
