import fc from "fast-check";

// Scripts of which Redis 7.0 and the embedded engine must have the same result. Left out: calls in tail position, which lose their
// line, and what Redis leaves undefined, such as the order of a table's fields.

const few = (...values: string[]) => fc.constantFrom(...values);

const INTEGERS =
  "0 1 -1 7 -42 255 65536 2147483647 2147483648 -2147483649 4294967295 4294967296 1099511627776 1764203926123 1764203926123456 9007199254740991 -9007199254740991".split(
    " ",
  );
const integer = few(...INTEGERS, "2^40", "2^52+1", "-2^47");
const fraction = few("0.5", "-2.25", "3.999", "1/3", "0.1+0.2", "1e-7", "123456.789", "-0.0001");
const huge = few("1e20", "-1e20", "2^63", "1e300", "1/0", "-1/0", "0/0");
const number = fc.oneof({ weight: 5, arbitrary: integer }, fraction, huge);
const text = few("''", "'a'", "'hello world'", "'\\0\\255'", "'10'", "'-3.5'", "'x y'", "'0x1f'");
const other = few("true", "false", "nil");
const scalar = fc.oneof(number, text, other);
const elements = fc.array(scalar, { maxLength: 4 });

/** A table with a field that decides its form in the reply, and others. */
const special = fc.oneof(
  few("'a'", "'hello world'", "'10'").map((value) => `{ok = ${value}}`),
  few("'a'", "'hello world'", "'10'").map((value) => `{err = 'CODE ' .. ${value}}`),
  number.map((value) => `{double = ${value}}`),
  few("{big_number = '12345678901234567890'}", "{verbatim_string = {format = 'txt', string = 'text'}}"),
  scalar.filter((value) => value !== "nil").map((value) => `{map = {a = ${value}}}`),
  few("{set = {a = true}}", "{map = {}}", "{set = {}}", "{}", "{a = 1}", "{nil, 2}", "{1, nil, 3}"),
);
const table = fc.oneof(
  elements.map((items) => `{${items.join(", ")}}`),
  fc.tuple(elements, special).map(([items, last]) => `{${[...items, last].join(", ")}}`),
  special,
);
const value = fc.oneof(scalar, table);

/** Expressions that make a text of numbers, or a number of texts. */
const conversion = fc.oneof(
  number.map((item) => `tostring(${item})`),
  number.map((item) => `${item} .. ''`),
  fc
    .tuple(
      few("%d", "%i", "%5d", "%-8d|", "%+d", "% d", "%05d", "%.3d", "%x", "%X", "%#x", "%o", "%u"),
      integer,
    )
    .map(([format, item]) => `string.format('${format}', ${item})`),
  fc
    .tuple(few("%s", "%5.1f", "%g", "%e", "%.3g", "%.17g", "%q"), fc.oneof(integer, fraction))
    .map(([format, item]) => `string.format('${format}', ${item})`),
  fc
    .tuple(
      few("7fffffffff", "ff", "-ff", "zz", "101", "8", "", "FFFFFFFF", "0x1f"),
      few("2", "8", "10", "16", "36"),
    )
    .map(([digits, base]) => `tostring(tonumber('${digits}', ${base}))`),
  text.map((item) => `tostring(tonumber(${item}))`),
  integer.map((item) => `math.floor(${item} / 3)`),
  integer.map((item) => `cmsgpack.unpack(cmsgpack.pack(${item}))`),
  number.filter((item) => !/\/0/.test(item)).map((item) => `cjson.encode(${item})`),
  few("{}", "[1,2,3]", '{"a":1.5}', "null", "true", "12345678901").map(
    (json) => `type(cjson.decode('{"v":' .. '${json}' .. '}').v)`,
  ),
  fc
    .tuple(
      few("<", ">"),
      few("b", "B", "h", "H", "i4", "I4", "i8", "I8", "l", "L"),
      few("0", "1", "100", "127"),
    )
    .map(
      ([order, size, item]) => `struct.unpack('${order}${size}', struct.pack('${order}${size}', ${item}))`,
    ),
  fc
    .tuple(few("<", ">"), few("i8", "I8"), few("1099511627776", "4294967295", "281474976710656"))
    .map(([order, size, item]) => `struct.pack('${order}${size}', ${item})`),
  integer.map((item) => `bit.tohex(${item})`),
  fc.tuple(integer, integer).map(([a, b]) => `bit.band(${a}, ${b})`),
  few(
    "unpack({7, 8, 9})",
    "string.gsub('a-b', '-', '+')",
    "select('#', 1, nil, 3)",
    "#ARGV",
    "KEYS[1]",
    "ARGV[1]",
  ),
  few(
    "redis.sha1hex('a')",
    "redis.status_reply('fine')",
    "redis.error_reply('My Err')",
    "redis.error_reply('ERR x')",
  ),
  few("redis.replicate_commands()", "redis.REPL_ALL", "redis.LOG_WARNING", "redis.acl_check_cmd('get', 'k')"),
);

const key = "KEYS[1]";
/** Commands with numbers among their arguments, and what they reply. */
const call = fc.oneof(
  number.map((item) => `redis.call('set', ${key}, ${item})`),
  few(`redis.call('get', ${key})`, `redis.call('type', ${key})`, `redis.call('del', ${key})`),
  integer.map((item) => `redis.call('incrby', ${key}, ${item})`),
  // Numbers that both spell alike: of the others the sum has other digits too.
  few("0.5", "-2.25", "7").map((item) => `redis.call('incrbyfloat', 'float', ${item})`),
  elements.map((items) => `redis.call('rpush', ${[key, "'first'", ...items.filter(isArgument)].join(", ")})`),
  few(`redis.call('lrange', ${key}, 0, -1)`, `redis.call('lpop', ${key})`, `redis.call('llen', ${key})`),
  fc
    .tuple(fc.oneof(integer, fraction), few("'a'", "'b'"))
    .map(([score, member]) => `redis.call('zadd', ${key}, ${score}, ${member})`),
  few(
    `redis.call('zrange', ${key}, 0, -1, 'withscores')`,
    `redis.call('zscore', ${key}, 'a')`,
    `redis.call('hgetall', ${key})`,
    `redis.call('exists', ${key}, 'none')`,
    `redis.call('mget', ${key}, 'none')`,
    "redis.call('ping')",
  ),
  fc
    .tuple(few("'f'", "1", "2.5"), number)
    .map(([field, item]) => `redis.call('hset', ${key}, ${field}, ${item})`),
);
function isArgument(item: string): boolean {
  return item !== "nil" && item !== "true" && item !== "false";
}
const wrongCall = few(
  "'nosuch'",
  "'get'",
  "'get', {}",
  `'get', ${key}, 'x'`,
  `'incrby', ${key}, 'x'`,
  `'setrange', ${key}, -1, 'x'`,
  "'eval', 'return 1', 0",
  "'blpop', 'none', 0",
  "",
);

const thrown = fc.oneof(
  few(
    "'plain'",
    "{err = 'LIMIT x'}",
    "{err = 'LOCKED'}",
    "redis.error_reply('LOCKED')",
    "redis.error_reply('My Err')",
    "{err = 'My Err'}",
    "5",
    "{code = 5, err = 'A b'}",
  ),
);

const statement = fc.oneof(
  { weight: 6, arbitrary: call.map((item) => `local r = ${item} return r`) },
  { weight: 3, arbitrary: fc.tuple(call, call).map(([a, b]) => `${a} local r = ${b} return r`) },
  { weight: 6, arbitrary: value.map((item) => `return ${item}`) },
  { weight: 6, arbitrary: conversion.map((item) => `local r = ${item} return r`) },
  { weight: 2, arbitrary: fc.tuple(scalar, scalar).map((items) => `return ${items.join(", ")}`) },
  { weight: 2, arbitrary: wrongCall.map((args) => `local r = redis.pcall(${args}) return r`) },
  { weight: 2, arbitrary: wrongCall.map((args) => `\n local r = redis.call(${args}) return r`) },
  {
    weight: 2,
    arbitrary: wrongCall
      .filter((args) => args !== "")
      .map((args) => `local ok, e = pcall(redis.call, ${args}) return {tostring(ok), tostring(e)}`),
  },
  { weight: 2, arbitrary: thrown.map((item) => `error(${item})`) },
  {
    weight: 1,
    arbitrary: thrown.map((item) => `local ok, e = pcall(error, ${item}) return {tostring(ok), type(e)}`),
  },
  {
    weight: 1,
    arbitrary: few(
      "return nosuch",
      "nosuch = 1",
      "return nil +",
      "local x = nil; return x.y",
      "return 1 + {}",
    ),
  },
);

/** The source of a script with one key. */
export const script: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: fc.constant("") },
      few(
        "#!lua\n",
        "#!lua flags=no-writes\n",
        "#!lua flags=allow-oom,no-cluster\n",
        "#!lua flags=x\n",
        "#!js\n",
      ),
    ),
    fc.oneof({ weight: 5, arbitrary: fc.constant("") }, fc.constant("redis.setresp(3) ")),
    statement,
  )
  .map((parts) => parts.join(""));
