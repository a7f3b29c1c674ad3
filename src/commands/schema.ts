import type { SchemaError } from "../errors.js";
import { InvalidArgument } from "../protocol/args.js";

/** A schema that a read can check values with. @see https://standardschema.dev */
export interface StandardSchema<Output = unknown> {
  /** The members that the specification requires. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** The result of a schema: its output, or the problems of the value. */
export type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: SchemaError["issues"] };

/** The output type of a schema. */
export type InferOutput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];

/** The output of a schema, or `T` without a schema. */
export type CheckedValue<S extends StandardSchema, T> = [S] extends [never] ? T : InferOutput<S>;

/** The option of a read that checks the values it returns. */
export interface SchemaOption<S extends StandardSchema> {
  /** Any Standard Schema. The call returns its output, or rejects with a SchemaError. */
  schema: S;
}

/**
 * Returns the schema among a read's arguments, and the arguments without it.
 * @throws InvalidArgument if the option `schema` is not a Standard Schema.
 */
export function schemaAmong(args: readonly any[]): [schema: StandardSchema | undefined, args: any[]] {
  const holder = args.find((arg) => typeof arg === "object" && arg !== null && "schema" in arg);
  if (!holder) return [undefined, args as any[]];
  const { schema, ...options } = holder;
  if (schema !== undefined && !schema?.["~standard"]) {
    throw new InvalidArgument("the option schema is not a Standard Schema");
  }
  // If the schema was the only option, the options object is left out at the end, and empty before other arguments.
  const rest = Object.keys(options).length > 0 || holder !== args.at(-1) ? [options] : [];
  return [schema, args.flatMap((arg) => (arg === holder ? rest : [arg]))];
}
