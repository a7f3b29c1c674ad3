import { RedisCommandError, RedisValue } from "js-redis-server/core";
import { peek, stringLength } from "../keyspace.js";
import { bytesAt } from "./bytes.js";
import {
  array,
  bulk,
  bulkValue,
  type CommandTable,
  command,
  integer,
  optionName,
  parseInteger,
  withArguments,
} from "./define.js";
import { addDecimals, isInfinite } from "./numbers.js";

/** LCS takes time and memory in proportion to the product of both lengths. */
const MAX_LCS_CELLS = 16 * 1024 * 1024;

const incrbyfloat = command("incrbyfloat key amount", "write denyoom fast", ([key, amount], ctx) => {
  const current = peek(ctx.db, key!) ? bytesAt(ctx.db, key!).toString("latin1") : "0";
  const texts = [current, amount!.toString("latin1")] as const;
  if (texts.some((text) => !isInfinite(text) && addDecimals("0", text) === undefined))
    throw new RedisCommandError("value is not a valid float");
  const sum = addDecimals(...texts);
  if (sum === undefined) throw new RedisCommandError("increment would produce NaN or Infinity");
  ctx.db.setString(key!, Buffer.from(sum), { keepTtl: true });
  return bulk(sum);
});

const hincrbyfloat = command(
  "hincrbyfloat key field amount",
  "write denyoom fast",
  ([key, field, amount], ctx) => {
    const increment = amount!.toString("latin1");
    if (isInfinite(increment)) throw new RedisCommandError("value is NaN or Infinity");
    if (addDecimals("0", increment) === undefined) throw new RedisCommandError("value is not a valid float");
    const sum = ctx.db.updateHash(key!, (hash) => {
      const current = hash.getField(field!)?.value.toString("latin1") ?? "0";
      const next = addDecimals(current, increment);
      if (next === undefined) throw new RedisCommandError("hash value is not a float");
      hash.setField(field!, Buffer.from(next), { forceDirty: true, keepTtl: true });
      return next;
    });
    return bulk(sum);
  },
);

const lcs = command("lcs key key ...", "readonly", ([left, right, ...options], ctx) => {
  const values = [left!, right!].map((key) => {
    const value = peek(ctx.db, key);
    if (value && value.type !== "string")
      throw new RedisCommandError("The specified keys must contain string values");
    return value?.value ?? Buffer.alloc(0);
  }) as [Buffer, Buffer];
  let withLength = false;
  let withIndexes = false;
  let withMatchLength = false;
  let minLength = 0;
  for (let at = 0; at < options.length; at++) {
    const name = optionName(options[at]);
    if (name === "LEN") withLength = true;
    else if (name === "IDX") withIndexes = true;
    else if (name === "WITHMATCHLEN") withMatchLength = true;
    else if (name === "MINMATCHLEN" && at + 1 < options.length)
      minLength = Math.max(0, parseInteger(options[++at]!));
    else throw new RedisCommandError("syntax error");
  }
  if (withLength && withIndexes)
    throw new RedisCommandError("If you want both the length and indexes, please just use IDX.");
  const { text, matches } = longestCommonSubsequence(...values);
  if (withLength) return integer(text.length);
  if (!withIndexes) return bulk(text);
  const range = (start: number, length: number) =>
    RedisValue.array([RedisValue.integer(start), RedisValue.integer(start + length - 1)]);
  const found = matches
    .filter(({ length }) => length >= minLength)
    .map(({ a, b, length }) => {
      const match = [range(a, length), range(b, length)];
      return RedisValue.array(withMatchLength ? [...match, RedisValue.integer(length)] : match);
    });
  return array([
    bulkValue("matches"),
    RedisValue.array(found),
    bulkValue("len"),
    RedisValue.integer(text.length),
  ]);
});

interface Match {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

/** Returns the subsequence and its contiguous ranges, last ones first, as Redis walks its table from the end. */
function longestCommonSubsequence(a: Buffer, b: Buffer): { text: Buffer; matches: Match[] } {
  const width = b.length + 1;
  if ((a.length + 1) * width > MAX_LCS_CELLS)
    throw new RedisCommandError("Insufficient memory, failed allocating transient memory for LCS");
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const at = i * width + j;
      table[at] =
        a[i - 1] === b[j - 1] ? table[at - width - 1]! + 1 : Math.max(table[at - width]!, table[at - 1]!);
    }
  }
  const text = Buffer.alloc(table[a.length * width + b.length]!);
  const matches: Match[] = [];
  let left = text.length;
  for (let i = a.length, j = b.length; i > 0 && j > 0; ) {
    if (a[i - 1] === b[j - 1]) {
      text[--left] = a[--i]!;
      j--;
      const last = matches.at(-1);
      if (last && last.a === i + 1 && last.b === j + 1)
        matches[matches.length - 1] = { a: i, b: j, length: last.length + 1 };
      else matches.push({ a: i, b: j, length: 1 });
    } else if (table[(i - 1) * width + j]! > table[i * width + j - 1]!) i--;
    else j--;
  }
  return { text, matches };
}

/** Replaces the commands on strings and lists whose replies differ from Redis's, and adds LCS and BRPOPLPUSH. */
export function addStringCommands(table: CommandTable): void {
  table.add(incrbyfloat, hincrbyfloat, lcs);
  table.check("lpop rpop spop", ([, count]) => {
    if (count && !/^(0|[1-9]\d*)$/.test(count.toString("latin1")))
      throw new RedisCommandError("value is out of range, must be positive");
  });
  table.replace("blmove", (base) => ({
    ...withArguments(base, ([source, target, ...rest]) =>
      source && target ? [source, target, Buffer.from("RIGHT"), Buffer.from("LEFT"), ...rest] : [],
    ),
    name: "brpoplpush",
  }));
  type BitposArguments = { key: Buffer; end?: number; bitMode: boolean };
  table.override<BitposArguments>("bitpos", (args, ctx, run) => {
    const { key, end = 0, bitMode } = args;
    const value = peek(ctx.db, key);
    if (value?.type === "string" && value.value.length === 0) return integer(-1);
    const size = stringLength(ctx.db, key) * (bitMode ? 8 : 1);
    // An end before the beginning of the string means its first byte or bit.
    return run(end < -size ? { ...args, end: 0 } : args);
  });
  table.check("bitpos", ([, bit]) => {
    if (bit) parseInteger(bit);
  });
}
