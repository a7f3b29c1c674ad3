import type { SchemaError } from "../errors.js";

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

export type Validation<Output> =
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
