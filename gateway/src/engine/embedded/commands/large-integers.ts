import { type CommandTable, clampInteger, optionName, parseInt64 } from "./define.js";

/** Lets commands take indexes and counts of 64 bits, as Redis does. The library refuses those beyond 2^53. */
export function addLargeIntegers(table: CommandTable): void {
  const integersAt = (places: readonly number[], names: string) =>
    table.rewrite(names, (args) => args.map((arg, at) => (places.includes(at) ? clampInteger(arg) : arg)));
  integersAt(
    [1],
    "setrange lindex lset lrem lpop rpop spop zpopmin zpopmax srandmember hrandfield zrandmember",
  );
  integersAt([1, 2], "lrange ltrim getrange substr bitcount zrevrange zremrangebyrank");
  integersAt([2, 3], "bitpos");

  /** @param first the first place that an integer of the option can have: keys, cursors and bounds come before it */
  const integersBehind = (option: string, first: number, names: string) =>
    table.rewrite(names, (args) =>
      args.map((arg, at) => (at >= first && isBehind(option, args, at) ? clampInteger(arg) : arg)),
    );
  integersBehind("COUNT", 2, "scan hscan sscan zscan");
  integersBehind("COUNT", 3, "lmpop zmpop blmpop bzmpop");
  for (const option of ["COUNT", "RANK", "MAXLEN"]) integersBehind(option, 3, "lpos");
  integersBehind("COUNT", 6, "xautoclaim");
  integersBehind("LIMIT", 2, "sort sort_ro sintercard zintercard");
  integersBehind("LIMIT", 4, "zrange zrangestore zrangebyscore zrevrangebyscore zrangebylex zrevrangebylex");
}

/** Whether an option is directly before a place, or before an integer that is. */
function isBehind(option: string, args: readonly Buffer[], at: number): boolean {
  if (optionName(args[at - 1]) === option) return true;
  return optionName(args[at - 2]) === option && parseInt64(args[at - 1]!.toString("latin1")) !== undefined;
}
