import { RedisCommandError } from "js-redis-server/core";

/** @throws RedisCommandError if the argument is not an integer of at most 15 digits */
export function parseInteger(arg: Buffer): number {
  const text = arg.toString("latin1");
  const value = Number(text);
  if (!/^(0|-?[1-9]\d*)$/.test(text) || !Number.isSafeInteger(value))
    throw new RedisCommandError("value is not an integer or out of range");
  return value;
}

/** An argument as an option's name: upper case. */
export function optionName(arg: Buffer | undefined): string {
  return arg?.toString("latin1").toUpperCase() ?? "";
}
