import { SchemaError } from "../errors.js";
import type { RawReply } from "../wire/reply.js";
import type { Decode, Row } from "./row.js";

/** What a read may be given to check values by. @see https://standardschema.dev */
export interface StandardSchema<Output = unknown> {
  /** What the specification asks for. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: SchemaError["issues"] };

/** What a schema makes of a value that fits it. */
export type Checked<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];

/** The option by which a read checks what it gives. */
export interface SchemaOption<S extends StandardSchema> {
  /** Any Standard Schema: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  schema: S;
}

/** The schema among a read's arguments, and the arguments without an object that is there for it alone. */
export function schemaAmong(
  args: readonly any[],
): [schema: StandardSchema | undefined, args: readonly any[]] {
  const holder = args.find((arg) => arg?.schema?.["~standard"]);
  return [
    holder?.schema,
    holder && Object.keys(holder).length === 1 ? args.filter((arg) => arg !== holder) : args,
  ];
}

/**
 * Reads a reply as its row does, and gives what the schema makes of the values in it: a promise where the schema
 * checks asynchronously. What is missing, and so null, is not checked.
 * @throws SchemaError
 */
export function readChecked(
  row: Row,
  args: readonly any[],
  schema: StandardSchema,
  reply: RawReply,
  decode: Decode,
  index: number | undefined,
): unknown {
  const accept = (result: Validation<unknown>) => {
    if (!result.issues) return result.value;
    // Issues may quote the value.
    const message = `${row.name}: what was read does not fit the schema; see the error's issues`;
    throw new SchemaError(message, result.issues, { command: row.name, index });
  };
  let later = false;
  const check = (value: unknown) => {
    const result = schema["~standard"].validate(value);
    if (!(result instanceof Promise)) return accept(result);
    later = true;
    const checked = result.then(accept);
    // Whoever waits for all hears of the first that fails.
    checked.catch(() => {});
    return checked;
  };
  const checkItem = (value: unknown) => (value === null ? value : check(value));
  if (row.schema === "whole") return checkItem(row.reply(reply, decode, args));
  if (row.schema === "items") {
    const items = (row.reply(reply, decode, args) as unknown[]).map(checkItem);
    return later ? Promise.all(items) : items;
  }
  const values: unknown[] = [];
  const value = row.reply(
    reply,
    (bulk) => {
      const checked = check(decode(bulk));
      values.push(checked);
      return checked;
    },
    args,
  );
  // Read once more, with what the promises gave in their places.
  return later
    ? Promise.all(values).then((done) => {
        let at = 0;
        return row.reply(reply, () => done[at++], args);
      })
    : value;
}
