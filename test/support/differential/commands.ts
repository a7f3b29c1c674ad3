import fc from "fast-check";
import { commands as commandsOf } from "../commands.js";
import { script } from "./scripts.js";

/** The arguments of one command, its name first; each character is one byte. */
export type Command = readonly string[];

const few = (...values: string[]) => fc.constantFrom(...values);

/** Keys that are mostly used with one type, and now and then with a command of another one. */
const keyOf = (type: string) =>
  fc.oneof(
    { weight: 12, arbitrary: few(`${type}1`, `${type}2`) },
    { weight: 1, arbitrary: few("s1", "h1", "l1", "set1", "z1", "x1", "missing") },
  );
const [s, h, l] = [keyOf("s"), keyOf("h"), keyOf("l")];
const [set, z, x, g] = [keyOf("set"), keyOf("z"), keyOf("x"), keyOf("g")];
/** Sorted sets whose members have the same score: only for these Redis defines ranges of members. */
const lex = few("lex1", "lex2", "lex3");
const anyKey = few("s1", "s2", "h1", "h2", "l1", "l2", "set1", "set2", "z1", "z2", "x1", "missing");

const value = few("a", "b", "c", "foo", "hello world", "", "10", "-3", "3.25", "\xff\x00\r\n");
const member = few("a", "b", "c", "d", "e");
const int = few("0", "1", "-1", "2", "-2", "3", "5", "10", "-100", "100");
const oddInt = fc.oneof(
  { weight: 8, arbitrary: int },
  { weight: 1, arbitrary: few("x", "", "1.5", " 1", "01") },
);
const SCORES =
  "0 1 -1 2.5 0.1 1e20 -1e-7 inf -inf 1e300 3.0 123456789012345678 1e16 -1e17 9007199254740993 0.0001234";
const score = few(...SCORES.split(" "));
/** Spellings that C reads and JavaScript does not, or the other way round. */
const spelling = few("Infinity", "+INF", "-infinity", "0x10", "0x1p-2", "-0X.8", "+1", ".5", "5.");
const wrongNumber = few("nan", "x", "", " 1", "1 ", "0x", "1e400", "1e-400", "--1", "1_0", "0b1");
const oddScore = fc.oneof(
  { weight: 10, arbitrary: score },
  { weight: 2, arbitrary: spelling },
  { weight: 1, arbitrary: wrongNumber },
);
const scoreBound = fc.oneof(
  { weight: 6, arbitrary: few("-inf", "+inf", "0", "1", "(1", "2.5", "(0.1", "-1") },
  { weight: 1, arbitrary: few("x", "(", "[a", "(inf", "(0x1", " 1", "infinity", "", "nan") },
);
const lexBound = few("-", "+", "[a", "(b", "[c", "(d", "x");
const streamId = few("1-1", "1-2", "2-1", "3-0", "5-5", "7");
const oddStreamId = fc.oneof(
  { weight: 8, arbitrary: streamId },
  { weight: 1, arbitrary: few("0-0", "x", "1-x", "", "-1") },
);
const rangeId = fc.oneof(
  { weight: 8, arbitrary: few("-", "+", "1", "1-1", "(1-1", "2-1", "5", "(2") },
  { weight: 1, arbitrary: few("x", "1-", "(-", "((1") },
);
const group = few("g1", "g2");
const consumer = few("alice", "bob");
const bit = few("0", "1");
const offset = few("0", "1", "7", "8", "100");
const pair = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts);

type Part = string | fc.Arbitrary<string> | fc.Arbitrary<readonly string[]>;

/** A command from fixed words, single arguments and groups of arguments. */
function command(...parts: Part[]): fc.Arbitrary<Command> {
  const arbitraries = parts.map(
    (part): fc.Arbitrary<string | readonly string[]> => (typeof part === "string" ? fc.constant(part) : part),
  );
  return fc.tuple(...arbitraries).map((values) => values.flat());
}

/** Arguments that may be left out. */
const maybe = (...parts: Part[]): fc.Arbitrary<readonly string[]> =>
  fc.option(command(...parts), { nil: [] as readonly string[] });
/** One to `max` times the same group of arguments. */
const some = (part: fc.Arbitrary<string> | fc.Arbitrary<readonly string[]>, max = 3) =>
  fc
    .array(part as fc.Arbitrary<string | readonly string[]>, { minLength: 1, maxLength: max })
    .map((all) => all.flat());
/** One of several groups of arguments. */
const either = (...options: readonly Part[][]) => fc.oneof(...options.map((parts) => command(...parts)));
/** A number of keys, and as many keys. */
const counted = (key: fc.Arbitrary<string>) => some(key).map((keys) => [String(keys.length), ...keys]);

const withScores = maybe("WITHSCORES");
const limit = maybe("LIMIT", int, int);
/** Patterns of SORT, by which elements stand for strings, fields of hashes, or nothing. */
const pattern = few("w_*", "h_*->w", "h_*->n", "h_*->none", "#", "nosort", "w_1", "h_*->", "*", "h_*");
const trim = either(
  ["MAXLEN", maybe(few("=", "~")), few("0", "1", "2", "100", "-1", "x")],
  ["MINID", maybe(few("=", "~")), oddStreamId],
);

const sortKey = few("l1", "set1", "z1", "s1", "missing");
const sortLimit = maybe("LIMIT", int, int);
const sortGets = either([], [some(pattern.map((one) => ["GET", one]))]);

/** Commands by the part of Redis that they belong to. Random and time-dependent ones are left out. */
export const families: Readonly<Record<string, readonly fc.Arbitrary<Command>[]>> = {
  strings: [
    command("SET", s, value, maybe(few("NX", "XX")), maybe("GET")),
    // No times relative to now: the engines read their clocks some ms apart, which PEXPIRETIME shows.
    command(
      "SET",
      s,
      value,
      either(["KEEPTTL"], ["EX", few("0", "-1", "x")], ["EXAT", few("4000000000", "x")]),
    ),
    command("GET", s),
    command("GETDEL", s),
    command("GETEX", s, maybe("PERSIST")),
    command("GETSET", s, value),
    command("SETNX", s, value),
    command("MGET", some(s)),
    command("MSET", some(pair(s, value))),
    command("MSETNX", some(pair(s, value))),
    command("APPEND", s, value),
    command("STRLEN", s),
    command("INCR", s),
    command("DECRBY", s, oddInt),
    command("INCRBYFLOAT", s, oddScore),
    command("GETRANGE", s, oddInt, oddInt),
    command("SUBSTR", s, int, int),
    command("SETRANGE", s, oddInt, value),
    command("LCS", s, s, maybe(either(["LEN"], ["IDX", maybe("MINMATCHLEN", int), maybe("WITHMATCHLEN")]))),
  ],
  bits: [
    command("SETBIT", s, offset, few("0", "1", "2")),
    command("GETBIT", s, offset),
    command("BITCOUNT", s, maybe(int, int, maybe(few("BYTE", "BIT")))),
    command("BITPOS", s, bit, maybe(int, maybe(int, maybe(few("BYTE", "BIT"))))),
    command("BITOP", few("AND", "OR", "XOR"), s, some(s)),
    command("BITOP", "NOT", s, s),
    command("BITFIELD", s, either(["GET", few("u8", "i5", "u64"), offset], ["INCRBY", "u2", offset, int])),
    command("BITFIELD", s, "OVERFLOW", few("WRAP", "SAT", "FAIL"), "SET", few("u4", "i8"), offset, int),
    command("BITFIELD_RO", s, "GET", "u8", offset),
  ],
  keys: [
    command("DEL", some(anyKey)),
    command("UNLINK", anyKey),
    command("EXISTS", some(anyKey)),
    command("TYPE", anyKey),
    command("RENAME", anyKey, anyKey),
    command("RENAMENX", anyKey, anyKey),
    command("COPY", anyKey, anyKey, maybe("REPLACE")),
    command("EXPIREAT", anyKey, few("4000000000", "1", "x"), maybe(few("NX", "XX", "GT", "LT"))),
    command("PEXPIREAT", anyKey, few("4000000000000", "5000000000000"), maybe(few("NX", "XX", "GT", "LT"))),
    command("EXPIRETIME", anyKey),
    command("PEXPIRETIME", anyKey),
    command("PERSIST", anyKey),
    command("TOUCH", some(anyKey)),
    command("DBSIZE"),
    command("KEYS", few("*", "s*", "?1", "[sh]1", "none")),
    command("OBJECT", "ENCODING", anyKey),
    command("OBJECT", "REFCOUNT", anyKey),
    command("SORT", l, maybe("LIMIT", int, int), maybe(few("ASC", "DESC")), maybe("ALPHA")),
    command("SORT_RO", set, "ALPHA"),
  ],
  sorts: [
    ...[
      [few("l1", "z1", "s1", "missing"), pattern] as const,
      // A pattern without a star leaves the members of a set in no order.
      [fc.constant("set1"), few("w_*", "h_*->w")] as const,
    ].map(([key, by]) =>
      command(few("SORT", "SORT_RO"), key, maybe("BY", by), sortLimit, sortGets, maybe(few("ASC", "DESC"))),
    ),
    // Without a pattern, since Redis leaves the order of equal weights to chance, unless they are numbers.
    command(few("SORT", "SORT_RO"), sortKey, sortLimit, sortGets, maybe("DESC"), "ALPHA"),
    command(
      "SORT",
      few("l1", "set1", "z1"),
      "BY",
      pattern,
      maybe("GET", pattern),
      "STORE",
      few("l2", "s1", "new"),
    ),
    command("LRANGE", few("l2", "new"), "0", "-1"),
    command("HSET", few("h_1", "h_2", "h_b"), few("w", "n"), fc.oneof(score, value)),
    command("SET", few("w_1", "w_2", "w_b"), fc.oneof(score, value)),
    command("RPUSH", few("l1"), some(few("1", "2", "b", "3.5", "0x10", " 2", ""))),
    command("ZADD", few("z1"), score, few("1", "2", "b")),
    command("SADD", few("set1"), few("1", "2", "3")),
  ],
  stores: [
    command(
      few("ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE"),
      anyKey,
      counted(few("z1", "z2", "set1", "s1", "missing")),
    ),
    command(
      few("SUNIONSTORE", "SINTERSTORE", "SDIFFSTORE"),
      anyKey,
      some(few("set1", "set2", "missing", "l1")),
    ),
    command("ZRANGESTORE", anyKey, few("z1", "z2", "missing"), int, int),
    command("SORT", few("l1", "set1"), "ALPHA", "STORE", anyKey),
    command("GEOSEARCHSTORE", anyKey, "g1", "FROMLONLAT", "15", "37", "BYRADIUS", few("200", "1"), "km"),
    command("BITOP", few("AND", "NOT"), anyKey, few("s1", "s2")),
    command("COPY", anyKey, anyKey, "REPLACE"),
    command("RENAME", anyKey, anyKey),
    command("EXPIREAT", anyKey, "4000000000"),
    command("EXPIRETIME", anyKey),
    command("TYPE", anyKey),
    command("ZRANGE", few("z1", "z2"), "0", "-1", "WITHSCORES"),
    command("LRANGE", few("l1", "l2"), "0", "-1"),
  ],
  scripts: [command("EVAL", script, "1", few("s1", "s2")), command("EVAL_RO", script, "1", "s1")],
  hashes: [
    command("HSET", h, some(pair(member, value))),
    command("HMSET", h, some(pair(member, value))),
    command("HSETNX", h, member, value),
    command("HGET", h, member),
    command("HMGET", h, some(member)),
    command("HGETALL", h),
    command("HKEYS", h),
    command("HVALS", h),
    command("HSCAN", h, "0", maybe("MATCH", few("a", "[ab]", "x*"))),
    command("HLEN", h),
    command("HSTRLEN", h, member),
    command("HEXISTS", h, member),
    command("HDEL", h, some(member)),
    command("HINCRBY", h, member, oddInt),
    command("HINCRBYFLOAT", h, member, oddScore),
  ],
  lists: [
    command("RPUSH", l, some(value)),
    command("LPUSH", l, some(value)),
    command("LPUSHX", l, value),
    command("RPUSHX", l, value),
    command("LPOP", l, maybe(oddInt)),
    command("RPOP", l, maybe(int)),
    command("LRANGE", l, oddInt, oddInt),
    command("LLEN", l),
    command("LINDEX", l, oddInt),
    command("LSET", l, oddInt, value),
    command("LINSERT", l, few("BEFORE", "AFTER", "x"), value, value),
    command("LREM", l, oddInt, value),
    command("LTRIM", l, int, int),
    command("LPOS", l, value, maybe("RANK", int), maybe("COUNT", int), maybe("MAXLEN", int)),
    command("LMOVE", l, l, few("LEFT", "RIGHT"), few("LEFT", "RIGHT", "x")),
    command("RPOPLPUSH", l, l),
    command("LMPOP", counted(l), few("LEFT", "RIGHT"), maybe("COUNT", int)),
  ],
  sets: [
    command("SADD", set, some(member)),
    command("SREM", set, some(member)),
    command("SCARD", set),
    command("SISMEMBER", set, member),
    command("SMISMEMBER", set, some(member)),
    command("SMEMBERS", set),
    command("SSCAN", set, "0", "MATCH", few("a", "x*")),
    command("SMOVE", set, set, member),
    command(few("SINTER", "SUNION", "SDIFF"), some(set)),
    command(few("SINTERSTORE", "SUNIONSTORE", "SDIFFSTORE"), set, some(set)),
    command("SINTERCARD", counted(set), maybe("LIMIT", int)),
  ],
  "sorted sets": [
    command("ZADD", z, maybe(few("NX", "XX", "GT", "LT")), maybe("CH"), some(pair(oddScore, member))),
    command("ZADD", z, "INCR", oddScore, member),
    command("ZADD", lex, some(pair(few("0"), member))),
    command("ZREM", lex, member),
    command("ZREVRANGEBYLEX", lex, lexBound, lexBound, limit),
    command("ZINCRBY", z, oddScore, member),
    command("ZSCORE", z, member),
    command("ZMSCORE", z, some(member)),
    command("ZCARD", z),
    command("ZCOUNT", z, scoreBound, scoreBound),
    command("ZLEXCOUNT", lex, lexBound, lexBound),
    command("ZRANK", z, member),
    command("ZREVRANK", z, member),
    command("ZREM", z, some(member)),
    command("ZRANGE", z, oddInt, oddInt, maybe("REV"), withScores),
    command("ZRANGE", z, scoreBound, scoreBound, "BYSCORE", maybe("REV"), limit, withScores),
    command("ZRANGE", lex, lexBound, lexBound, "BYLEX", maybe("REV"), limit),
    command("ZREVRANGE", z, int, int, withScores),
    command("ZRANGEBYSCORE", z, scoreBound, scoreBound, withScores, limit),
    command("ZREVRANGEBYSCORE", z, scoreBound, scoreBound, withScores, limit),
    command("ZRANGEBYLEX", lex, lexBound, lexBound, limit),
    command("ZRANGESTORE", z, z, int, int),
    command("ZSCAN", z, "0", maybe("MATCH", few("a", "[ab]", "x*"))),
    command("ZREMRANGEBYRANK", z, int, int),
    command("ZREMRANGEBYSCORE", z, scoreBound, scoreBound),
    command("ZREMRANGEBYLEX", lex, lexBound, lexBound),
    command("ZPOPMIN", z, maybe(int)),
    command("ZPOPMAX", z, maybe(int)),
    command("ZMPOP", counted(z), few("MIN", "MAX"), maybe("COUNT", int)),
    command(few("ZINTER", "ZUNION"), counted(z), maybe("AGGREGATE", few("SUM", "MIN", "MAX")), withScores),
    command("ZDIFF", counted(z), withScores),
    command(few("ZINTERSTORE", "ZUNIONSTORE", "ZDIFFSTORE"), z, counted(z)),
    command("ZINTERCARD", counted(z), maybe("LIMIT", int)),
  ],
  streams: [
    command("XADD", x, maybe("NOMKSTREAM"), maybe(trim), oddStreamId, some(pair(member, value), 2)),
    command("XLEN", x),
    command("XRANGE", x, rangeId, rangeId, maybe("COUNT", int)),
    command("XREVRANGE", x, rangeId, rangeId, maybe("COUNT", int)),
    command("XDEL", x, some(oddStreamId)),
    command("XTRIM", x, trim),
    command("XREAD", maybe("COUNT", int), "STREAMS", x, oddStreamId),
    command("XGROUP", "CREATE", x, group, few("0", "$", "1-1", "x"), maybe("MKSTREAM")),
    command("XGROUP", "SETID", x, group, few("0", "$", "1-1")),
    command("XGROUP", "DESTROY", x, group),
    command("XGROUP", few("CREATECONSUMER", "DELCONSUMER"), x, group, consumer),
    command("XREADGROUP", "GROUP", group, consumer, maybe("COUNT", int), "STREAMS", x, few(">", "0", "1-1")),
    command("XACK", x, group, some(oddStreamId)),
    command("XPENDING", x, group),
    command("XPENDING", x, group, rangeId, rangeId, int, maybe(consumer)),
    command("XCLAIM", x, group, consumer, "0", some(oddStreamId), maybe("JUSTID")),
    command("XAUTOCLAIM", x, group, consumer, "0", few("0", "1-1"), maybe("COUNT", int), maybe("JUSTID")),
    command("XSETID", x, streamId),
    command("XINFO", "GROUPS", x),
  ],
  geo: [
    command(
      "GEOADD",
      g,
      maybe(few("NX", "XX")),
      maybe("CH"),
      few("13.361389", "15.087269", "-122.5", "200"),
      few("38.115556", "37.502669", "0", "x"),
      member,
    ),
    command("GEOPOS", g, some(member)),
    command("GEODIST", g, member, member, maybe(few("m", "km", "ft", "mi", "x"))),
    command("GEOHASH", g, some(member)),
    command(
      "GEOSEARCH",
      g,
      either(["FROMMEMBER", member], ["FROMLONLAT", "15", "37"]),
      "BYRADIUS",
      few("200", "20000"),
      "km",
      "ASC",
      maybe("WITHDIST"),
      maybe("WITHCOORD"),
    ),
  ],
  hyperloglog: [
    command("PFADD", s, some(member)),
    command("PFCOUNT", some(s)),
    command("PFMERGE", s, some(s)),
  ],
  server: [
    command("ECHO", value),
    command("PING", maybe(value)),
    command("WAIT", few("0", "x"), few("0", "-1")),
    command("ROLE"),
    command("SELECT", few("0", "1", "99", "x")),
    command("MULTI"),
    command("EXEC"),
    command("DISCARD"),
    command("EVAL", few("return redis.call('GET', KEYS[1])", "return {1, 'a', false, 2.9}"), "1", s),
    command("NOSUCH", member),
    command("GET"),
  ],
};

/** Commands of one family, with a few that act on keys of any type. */
const ofFamily = (family: string) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.oneof(...families[family]!) },
    { weight: 1, arbitrary: fc.oneof(...families.keys!) },
  );

/** Commands that give a family's keys something to work on. */
const SETUPS: Readonly<Record<string, readonly Command[]>> = {
  strings: [["MSET", "s1", "hello world", "s2", "10"]],
  bits: [["MSET", "s1", "\x0f\xff\x00", "s2", "foobar"]],
  keys: commandsOf("SET s1 a", "RPUSH l1 b a", "SADD set1 a 1", "HSET h1 f v"),
  hashes: [["HSET", "h1", "a", "1", "b", "x", "c", "2.5", "d", ""]],
  lists: commandsOf("RPUSH l1 a b c a foo", "RPUSH l2 a"),
  sets: commandsOf("SADD set1 a b c", "SADD set2 b c d"),
  "sorted sets": [
    ["ZADD", "z1", "1", "a", "2.5", "b", "-inf", "c", "1", "d"],
    ["ZADD", "z2", "0", "a", "0", "b", "0", "c"],
    ["ZADD", "lex1", "0", "a", "0", "b", "0", "d", "0", "e"],
    ["SET", "lex3", "a"],
  ],
  streams: [
    ["XADD", "x1", "1-1", "a", "1"],
    ["XADD", "x1", "1-2", "b", "2"],
    ["XADD", "x1", "3-0", "c", "3", "d", "4"],
    ["XGROUP", "CREATE", "x1", "g1", "0"],
    ["XREADGROUP", "GROUP", "g1", "alice", "COUNT", "2", "STREAMS", "x1", ">"],
  ],
  sorts: [
    ["RPUSH", "l1", "1", "2", "b"],
    ["SADD", "set1", "1", "2", "3"],
    ["ZADD", "z1", "3", "1", "1", "2", "2", "b"],
    ["MSET", "w_1", "5", "w_2", "0x3", "s1", "x"],
    ["HSET", "h_1", "w", "10", "n", "one"],
    ["HSET", "h_b", "w", "2", "n", "bee"],
  ],
  stores: [
    ["SADD", "set1", "a", "b"],
    ["SADD", "set2", "b", "c"],
    ["ZADD", "z1", "1", "a", "2", "b"],
    ["ZADD", "z2", "5", "b"],
    ["RPUSH", "l1", "x", "y"],
    ["MSET", "s1", "one", "s2", "two"],
    ["HSET", "h1", "f", "v"],
    ["GEOADD", "g1", "15.087269", "37.502669", "p"],
  ],
  geo: [["GEOADD", "g1", "13.361389", "38.115556", "a", "15.087269", "37.502669", "b"]],
};

/** A sequence of commands of one family, and a few on keys of any type. */
export const ofFamilySequence = (family: string, maxLength: number): fc.Arbitrary<Command[]> =>
  fc
    .tuple(
      fc.constantFrom(SETUPS[family] ?? [], []),
      fc.array(ofFamily(family), { minLength: 1, maxLength, size: "max" }),
    )
    .map(([setup, commands]) => [...setup, ...commands]);

/** A sequence of commands, most of which act on the same few keys. */
export const commandSequence = (maxLength = 12): fc.Arbitrary<Command[]> =>
  fc.constantFrom(...Object.keys(families)).chain((family) => ofFamilySequence(family, maxLength));
