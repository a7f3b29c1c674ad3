import { type FilterFunction, FunctionExpressionType } from "json-p3";

/** An operand of `=~`: a text in quotes, or a path below `@` or `$`. */
const OPERAND = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[@$](?:\.[^\s.[\]()&|=!<>~]+|\[[^\]]*\])*`;
const OPERATION = new RegExp(`(${OPERAND})\\s*=~\\s*(${OPERAND})|${OPERAND}`, "g");

/**
 * Writes the operator `=~` of RedisJSON, which RFC 9535 does not have, as a call of {@link regexFunction}.
 * @see https://redis.io/docs/latest/develop/data-types/json/path/
 */
export function replaceRegexOperator(filter: string): string {
  if (!filter.includes("=~")) return filter;
  return filter.replace(OPERATION, (all, text, pattern) =>
    pattern === undefined ? all : `regex(${text}, ${pattern})`,
  );
}

/** Flags that a pattern of RedisJSON may begin with, such as `(?i)`, and that JavaScript has too. */
const FLAGS = /^\(\?([ims]+)\)/;

/** Whether a pattern matches a part of a text. False if one of them is not a string, or if the pattern is invalid. */
export const regexFunction: FilterFunction = {
  argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
  returnType: FunctionExpressionType.LogicalType,
  call(text: unknown, pattern: unknown): boolean {
    if (typeof text !== "string" || typeof pattern !== "string") return false;
    const flags = FLAGS.exec(pattern);
    try {
      return new RegExp(pattern.slice(flags?.[0].length), `u${flags?.[1] ?? ""}`).test(text);
    } catch {
      return false;
    }
  },
};
