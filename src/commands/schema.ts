import type { SchemaError } from "../errors.js";
import { InvalidArgument } from "../wire/args.js";

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
export type InferOutput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];

/** The option by which a read checks what it gives. */
export interface SchemaOption<S extends StandardSchema> {
  /** Any Standard Schema: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  schema: S;
}

/**
 * Returns the schema among a read's arguments, and the arguments without it.
 * @throws InvalidArgument if the option `schema` is not a Standard Schema.
 */
export function schemaAmong(args: readonly any[]): [schema: StandardSchema | undefined, args: any[]] {
  const holder = args.find((arg) => typeof arg === "object" && arg !== null && "schema" in arg);
  if (!holder) return [undefined, args as any[]];
  const { schema, ...others } = holder;
  if (schema !== undefined && !schema?.["~standard"]) {
    throw new InvalidArgument("the option schema is not a Standard Schema");
  }
  const rest = Object.keys(others).length > 0 ? [others] : [];
  return [schema, args.flatMap((arg) => (arg === holder ? rest : [arg]))];
}
