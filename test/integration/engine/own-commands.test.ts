import { createHash } from "node:crypto";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { startRedis } from "warmline-testbed";
import manifest from "../../../gateway/package.json" with { type: "json" };
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { commands } from "../../support/commands.js";
import { type Reply, ReplyClient } from "../../support/differential/replies.js";
import { sharedByTests } from "../../support/lifetime.js";

const engine = sharedByTests(() => startEmbeddedEngine());
const embedded = sharedByTests(async () => new ReplyClient(engine.connect()));

async function run(...commands: string[][]): Promise<Reply[]> {
  return (await embedded.run([["FLUSHALL"], ...commands])).slice(1);
}

/** Returns id and delivery count of each pending entry of the group g, without the idle time, which varies. */
const DELIVERY_COUNTS = `local counts={}
for i, entry in ipairs(redis.call('XPENDING', KEYS[1], 'g', '-', '+', '10')) do counts[i]=entry[1]..' '..entry[4] end
return counts`;

const LIBRARY = `#!lua name=lib
redis.register_function{function_name='one', callback=function() return 1 end, description='returns one', flags={'no-writes'}}
redis.register_function('two', function() return 2 end)`;

const COUNTING_LIBRARY = `#!lua name=lib
local count = 0
local register = redis.register_function
local function counted(name)
  return function(keys, args) count = count + 1 return { name, keys[1], args[1], count } end
end
register('first', counted('first'))
register('second', counted('second'))
redis.register_function{ function_name = 'sets', callback = function(keys) return redis.call('set', keys[1], 2^40) end, description = 'sets a key' }`;

const SELECTING_LIBRARY = `#!lua name=lib
redis.register_function('increment', function(keys) redis.call('select', 1) return redis.call('incr', keys[1]) end)`;

const PARAMETERS_LIBRARY = `#!lua name=Parameters
redis.register_function('getAll', function(keys, args) return {#keys, keys[1], #args, args[1]} end)
redis.register_function('getKey', function() return KEYS[1] end)
redis.register_function('getArg', function() return ARGV[1] end)`;

/** Scripts with one key, k, beside those that test/support/differential/scripts.ts makes. */
const SCRIPTS = [
  "return unpack({7, 8, 9})",
  "for i = 1, 4 do redis.call('zadd', KEYS[1], 1764203926123 * 4096 + i, 'j' .. i) end return redis.call('zrange', KEYS[1], 0, -1)",
  "return string.format('%d|%i|%5d|%-5d|%+d|%05d', 2^40, -2^40, 2^35, 7, 2^40, -5)",
  "return string.format('%x %X %o %u %#x', 2^40, -1, 2^33, -1, 255)",
  "return string.format('%s %q %5.2f %g %c %i %%', 'a', 'b', 1.234, 1e20, 65, 42)",
  "return {struct.unpack('>I8xi8b', struct.pack('>I8xi8b', 1099511627776, -5, 3))}",
  "return {struct.unpack('<lc3', 'abc' .. struct.pack('<lc3', 7, 'xyz'), 4)}",
  "return {struct.size('l'), struct.size('i4'), struct.size('>I8xi8b')}",
  "return bit.tohex(2^32 - 1)",
  "#!lua flags=no-writes\nlocal reply = redis.call('set', KEYS[1], 1) return reply",
  "redis.setresp(3) return {true, false}",
  "redis.setresp(3) redis.call('hset', KEYS[1], 'a', 1) return redis.call('hgetall', KEYS[1]).map.a",
  "redis.setresp(3) redis.call('sadd', KEYS[1], 'a') return tostring(redis.call('smembers', KEYS[1]).set.a)",
  "redis.setresp(3) redis.call('zadd', KEYS[1], 1.5, 'a') return tostring(redis.call('zscore', KEYS[1], 'a').double)",
  "redis.setresp(3) return tostring(redis.call('get', KEYS[1]))",
  "\n\nlocal reply = redis.call('nosuch')",
  "local ok, thrown = pcall(error, {code = 5}) return thrown.code",
  "return {xpcall(function() error({err='A b'}) end, function(thrown) return thrown.err end)}",
  "return {err = 'LOCKED'}",
  "return {{err = 'LOCKED'}, {err = 'LOCKED by a'}}",
  "error({err = 'LOCKED'})",
  "return redis.error_reply('LOCKED')",
  "return redis.error_reply('-LOCKED')",
  "error(redis.error_reply('LOCKED'))",
  "\n return {pcall(function() return nosuch end)}",
  "return {xpcall(function() return nosuch end, function(thrown) return thrown end)}",
  "return {pcall(redis.call, 'get', {})}",
  "return redis.pcall('get', {})",
  "return redis.pcall('get', true).err",
  "\n local reply = redis.call('get', nil)",
  "return {pcall(redis.acl_check_cmd, {})}",
  "getmetatable(_G).__index = nil",
  "\n local text = string.format('%s', nil)",
  "local text = string.format('%d', 'x')",
  "local number = tonumber('10', 99)",
  "local number = struct.unpack('>I4', 'x')",
  "return string.format('%d|%i|%x', -0.5, -0, -0.5)",
  "return cjson.decode('[1, null, 2]')",
  "return setmetatable({1, 2}, {__index = function() return 9 end})",
  "return {1, function() end, {coroutine.create(function() end)}, cjson.null, {ok = tostring}}",
  "return redis.set_repl(redis.REPL_ALL)",
  "return {type(redis.REDIS_VERSION), type(redis.REDIS_VERSION_NUM)}",
  "local co = coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end) return {co(), co()}",
];

const MAX_INT64 = "9223372036854775807";
const MIN_INT64 = "-9223372036854775808";

/** Sequences with the same replies as those of Redis 7.0, by topic. */
const SAME: Record<string, string[][]> = {
  scripts: SCRIPTS.flatMap((script) => [["FLUSHALL"], ["EVAL", script, "1", "k"]]),
  "functions run the code of their library once, with the flags that it gave them": [
    ["FUNCTION", "FLUSH"],
    ["FUNCTION", "LOAD", COUNTING_LIBRARY],
    ["FUNCTION", "LOAD", COUNTING_LIBRARY],
    ...commands("FCALL first 1 k a", "FCALL second 1 k a", "FCALL sets 1 k", "GET k", "FCALL_RO sets 1 k"),
    ...commands("FCALL none 0"),
    ["FUNCTION", "LOAD", "#!lua name=other\nredis.register_function('first', function() end)"],
    ["FUNCTION", "LOAD", "#!lua name=other\nlocal x"],
    ["FUNCTION", "LOAD", "#!lua name=other\nlocal x = ("],
    ["FUNCTION", "LOAD", "#!lua name=other\nredis.call('get', 'k')"],
    [
      "FUNCTION",
      "LOAD",
      "#!lua name=other\nredis.register_function{function_name='f', callback=print and 1, flags={'bad'}}",
    ],
    [
      "FUNCTION",
      "LOAD",
      "#!lua name=other\nredis.register_function{function_name='f', callback=function() end, flags={'bad'}}",
    ],
    ["FUNCTION", "LOAD", "local x"],
    ["FUNCTION", "LOAD", "#!lua\nlocal x"],
    ["FUNCTION", "LOAD", "#!js name=x\nlocal x"],
    ...commands("FUNCTION DELETE lib", "FCALL first 0", "FUNCTION FLUSH"),
  ],
  "SELECT in a script or a function is for the rest of it alone": [
    ["EVAL", "redis.call('select', 1) return redis.call('incr', KEYS[1])", "1", "k"],
    ["GET", "k"],
    ["EVAL", "redis.call('select', 1) error('thrown')", "0"],
    ["GET", "k"],
    ["EVAL", "redis.setresp(3) redis.call('select', 1) return redis.call('get', KEYS[1])", "1", "k"],
    ["GET", "k"],
    ["FUNCTION", "LOAD", SELECTING_LIBRARY],
    ...commands("FCALL increment 1 k", "GET k", "FUNCTION FLUSH", "MULTI"),
    ["EVAL", "redis.call('select', 1)", "0"],
    ["SET", "k", "database 0"],
    ...commands("EXEC", "GET k", "SELECT 1", "GET k"),
  ],
  "SCRIPT LOAD refuses a script that EVAL refuses": [
    ["SCRIPT", "FLUSH"],
    ...["return 1 +", "#!lua flags=x\nreturn 1", "#!js\nreturn 1", "#!lua", "return 1"].flatMap((source) => [
      ["SCRIPT", "LOAD", source],
      ["SCRIPT", "EXISTS", createHash("sha1").update(source).digest("hex")],
    ]),
    ["SCRIPT", "LOAD"],
    ["SCRIPT", "LOAD", "return 1", "return 2"],
  ],
  "XADD takes MAXLEN as the name of a key and of a field": [
    ...commands("XADD maxlen 1-1 maxlen text", "XADD x 2-1 maxlen -1", "XRANGE maxlen - +", "XRANGE x - +"),
  ],
  "malformed arguments fail when the command is run, not when it is queued": [
    ...commands("MULTI", "SET k v", "EXPIREAT k x", "ZADD z x a", "SET k v NOSUCH", "EXEC", "GET k"),
    ...commands("MULTI", "SET k", "EXEC"),
  ],
  "BITFIELD of the last bytes and behind them": [
    ...commands("SET k abc", "BITFIELD k GET u8 #2 GET u8 #3 GET i16 12"),
    ...commands("BITFIELD k SET u8 #5 255 INCRBY u8 #1 1 GET u8 #0", "GET k"),
    ...commands("BITFIELD k OVERFLOW FAIL INCRBY u8 #9 256", "STRLEN k"),
    ...commands("BITFIELD n OVERFLOW FAIL INCRBY u4 21 16", "STRLEN n"),
  ],
  "trims with ~ remove whole nodes of 100 entries": [
    ...Array.from({ length: 250 }, (_, index) => ["XADD", "x", `${index + 1}-1`, "f", "v"]),
    ...commands("XTRIM x MAXLEN ~ 151", "XTRIM x MAXLEN ~ 150", "XTRIM x MINID ~ 200-1"),
    ...commands("XTRIM x MINID ~ 201-1 LIMIT 50", "XTRIM x MINID ~ 201-1", "XADD x MAXLEN ~ 1 300-1 f v"),
    ...commands("XLEN x", "XADD x MAXLEN ~ 0 301-1 f v", "XLEN x", "XADD x 302-1 f v", "XDEL x 302-1"),
    ...commands("XADD x 303-1 f v", "XADD x 304-1 f v", "XDEL x 304-1", "XTRIM x MINID ~ 304-1"),
    ...commands("XTRIM x MINID ~ 304-2"),
  ],
  "XAUTOCLAIM counts entries that were deleted, and starts at a bound of a range": [
    ...["1-1", "2-1", "3-1", "4-1"].map((id) => ["XADD", "x", id, "f", id]),
    ...commands("XGROUP CREATE x g 0", "XREADGROUP GROUP g a STREAMS x >", "XDEL x 1-1 3-1"),
    ...commands("XAUTOCLAIM x g b 0 0 COUNT 1 JUSTID", "XAUTOCLAIM x g b 0 0 COUNT 2"),
    ...commands("XAUTOCLAIM x g c 10000000 0", "XAUTOCLAIM x g c 0 5-1", "XAUTOCLAIM x none c 0 0"),
    ...["-", "+", "(2-1", "(2", "(0-18446744073709551615", "(-", "("].map((start) => {
      return ["XAUTOCLAIM", "x", "g", "c", "0", start, "JUSTID"];
    }),
    ["XAUTOCLAIM", "x", "g", "c", "0", "(18446744073709551615-18446744073709551615"],
    ["EVAL", DELIVERY_COUNTS, "1", "x"],
    ["XPENDING", "x", "g"],
  ],
  "INCRBYFLOAT rounds as a long double": [
    ...commands("INCRBYFLOAT k 1e300", "SET k 123456789012345678", "INCRBYFLOAT k 0.1"),
    ...commands("INCRBYFLOAT k -1e20", "INCRBYFLOAT k 3.0000000000000000001", "HINCRBYFLOAT h f -1e30"),
    ...commands("HINCRBYFLOAT h f 1e-10", "HINCRBYFLOAT h g 0.12345678901234567"),
  ],
  "ZSCAN orders small sets by score, and writes scores of large ones in 17 digits": [
    ["ZADD", "z", "0.1", "a".repeat(65), "1e17", "b"],
    ...commands("ZSCAN z 0 MATCH a*", "ZSCAN z 0 MATCH b", "ZADD small 2 c 1 b 1 a -inf d", "ZSCAN small 0"),
  ],
  "positions have 17 decimals": [
    ...commands("GEOADD g 13.361389 38.115556 Palermo -122.5 0 sea", "GEOPOS g Palermo sea missing"),
    ...commands("GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km WITHCOORD WITHDIST"),
    ...commands("GEOSEARCH missing FROMMEMBER a BYRADIUS 200 km", "GEORADIUSBYMEMBER missing a 200 km"),
    ...commands("GEORADIUSBYMEMBER_RO missing a 200 km", "SET old 1"),
    ...commands("GEORADIUSBYMEMBER missing a 200 km STORE old", "EXISTS old", "SET old 1"),
    ...commands("GEOSEARCHSTORE old missing FROMMEMBER a BYRADIUS 200 km", "EXISTS old"),
  ],
  "commands that store replace what is at their destination, with its time to live": [
    "ZUNIONSTORE d 2 z s",
    "ZINTERSTORE d 2 z s",
    "ZDIFFSTORE d 2 z s",
    "ZINTERSTORE d 2 z none",
    "SUNIONSTORE d s s",
    "SINTERSTORE d s none",
    "SDIFFSTORE d s",
    "ZRANGESTORE d z 0 -1",
    "SORT s ALPHA STORE d",
    "GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km",
    "GEORADIUS g 15 37 200 km STORE d",
  ].flatMap((store) =>
    commands("SET d x", "RPUSH d x", "ZADD d 9 z", "SADD d z", "HSET d f v").flatMap((before) => [
      ...commands("FLUSHALL", "ZADD z 1 a 2 b", "SADD s a c", "GEOADD g 15.087269 37.502669 x"),
      before,
      ...commands("EXPIRE d 100", "WATCH d", store, "TYPE d", "TTL d", "MULTI", "PING", "EXEC"),
    ]),
  ),
  "ECHO, WAIT, ROLE and ACL LIST": [
    ...commands("ACL LIST", "ECHO hi", "WAIT 0 0", "WAIT 0 -1", "WAIT 0 1.5", "WAIT 0 9223372036854775808"),
    ...commands("ROLE"),
  ],
  "OBJECT and MEMORY of what is there and what is not": [
    ["OBJECT", "ENCODING", "missing"],
    ["SET", "k", "x".repeat(45)],
    ...commands("OBJECT ENCODING k", "OBJECT IDLETIME k", "OBJECT FREQ k", "OBJECT NOSUCH k", "ZADD z 1 a"),
    ...commands("OBJECT ENCODING z", "MEMORY USAGE missing", "MEMORY USAGE k SAMPLES x"),
  ],
  "random members inside scripts": [
    ...commands("SADD s only", "HSET h f v"),
    ["EVAL", "return redis.call('SRANDMEMBER', KEYS[1])", "1", "s"],
    ["EVAL", "return redis.call('HRANDFIELD', KEYS[1])", "1", "h"],
    ["EVAL", "return redis.call('SPOP', KEYS[1])", "1", "s"],
    ["EXISTS", "s"],
  ],
  "SORT in a transaction returns strings as they are at that time": [
    ...commands("MSET w_1 aaaa w_2 bbbb", "RPUSH l 1 2 3", "MULTI", "SORT l GET w_*", "SETRANGE w_1 0 XX"),
    ...commands("SETBIT w_2 1 0", "GET w_1", "EXEC"),
  ],
  "indexes and counts have up to 64 bits": ["9007199254740992", MAX_INT64, MIN_INT64].flatMap((number) =>
    [
      "LRANGE l 0 #",
      "LRANGE l # -1",
      "LTRIM l # 9",
      "LTRIM l 0 #",
      "LINDEX l #",
      "LSET l # x",
      "LREM l # a",
      "LPOP l #",
      "RPOP l #",
      "SPOP s #",
      "GETRANGE k 0 #",
      "GETRANGE k # -1",
      "BITCOUNT k 0 #",
      "BITPOS k 1 0 #",
      "ZRANGE z 0 #",
      "ZRANGE z # -1 REV WITHSCORES",
      "ZREVRANGE z 0 #",
      "ZREMRANGEBYRANK z 1 #",
      "ZPOPMAX z #",
      "ZRANGE z -inf # BYSCORE LIMIT 0 #",
      "ZRANGE limit # +inf BYSCORE",
      "ZRANGESTORE d z -inf +inf BYSCORE LIMIT # 1",
      "ZRANGEBYSCORE z -inf # LIMIT 0 #",
      "ZREVRANGEBYLEX z + - LIMIT 1 #",
      "SORT l ALPHA LIMIT 1 #",
      "SORT l BY limit STORE #",
      "SCAN 0 MATCH z COUNT #",
      "ZSCAN z 0 COUNT #",
      "LPOS l a COUNT #",
      "LMPOP 1 l LEFT COUNT #",
      "ZMPOP 1 z MAX COUNT #",
      "SINTERCARD 1 s LIMIT #",
      "ZINTERCARD 1 z LIMIT #",
      "XREAD COUNT # STREAMS x 0",
      "XREADGROUP GROUP g c COUNT # STREAMS x >",
      "XPENDING x g - + # none",
      "XPENDING x g IDLE # - + 1 none",
      "XAUTOCLAIM x g c # 9-9",
      "XCLAIM x g c # 9-9",
      "EVAL return{redis.call('LRANGE',KEYS[1],0,#)} 1 l",
      "LRANGE l 0 #0",
    ].flatMap((command) => [
      ...commands("FLUSHALL", "RPUSH l a b a", "SADD s a", "SET k abc", "ZADD z 1 a 9007199254740992 b"),
      ...commands("ZADD limit 9007199254740991 a 9007199254740992 b", "XADD x 1-1 f v"),
      ...commands(
        "XGROUP CREATE x g 0",
        command.replaceAll("#", number),
        "LRANGE l 0 -1",
        `EXISTS ${number}`,
      ),
    ]),
  ),
  "malformed counts, idle times and timeouts of stream commands": [
    ...commands("XADD x 1-1 f v", "XGROUP CREATE x g 0", "XGROUP CREATE x count 0"),
    ...commands(
      "XREADGROUP GROUP count block STREAMS x >",
      "XREADGROUP COUNT 1 GROUP count count STREAMS x 0",
    ),
    ...["x", "", "1.5", "-1", "9223372036854775808"].flatMap((number) =>
      [
        "XREAD COUNT # STREAMS x 0",
        "XREAD BLOCK # STREAMS x 0",
        "XPENDING x g IDLE # - + 1",
        "XAUTOCLAIM x none c # 9-9",
        "XAUTOCLAIM x g c 0 9-9 COUNT #",
        "XCLAIM x g c # 9-9",
        "XCLAIM x none c # 9-9",
      ].map((command) => command.replace("#", number).split(" ")),
    ),
  ],
  "a script that only reads can't send messages": ["PUBLISH", "SPUBLISH", "PFCOUNT"].flatMap((name) => {
    const script = `local reply = redis.call('${name}', KEYS[1], 'text') return reply`;
    return [
      ["EVAL_RO", script, "1", "k"],
      ["EVAL", `#!lua flags=no-writes\n${script}`, "1", "k"],
      ["EVAL", script, "1", "k"],
    ];
  }),
  "functions have names of any case, and no globals KEYS and ARGV": [
    ["FUNCTION", "FLUSH"],
    ["FUNCTION", "LOAD", PARAMETERS_LIBRARY],
    ...commands("FCALL GETALL 2 a b c", "FCALL getKey 2 a b c", "FCALL getArg 2 a b c"),
    ["EVAL", "return {KEYS[1], ARGV[1], KEYS[2], ARGV[2]}", "1", "a", "b"],
    ["FUNCTION", "LOAD", "#!lua name=other\nredis.register_function('getall', function() end)"],
    ...commands("FUNCTION DELETE parameters", "FUNCTION FLUSH"),
  ],
  "EXEC runs after writes that changed nothing, and -0 is kept as 0": [
    ...commands("SETBIT k 1 1", "WATCH k", "SETBIT k 1 1", "MULTI", "PING", "EXEC"),
    ...commands("WATCH k", "SETBIT k 9 0", "MULTI", "PING", "EXEC"),
    ...commands("ZADD z -0 a -0.0 b", "ZRANGE z 0 -1 WITHSCORES"),
  ],
  "BRPOPLPUSH moves from the end to the beginning": [
    ...commands("RPUSH l a b", "BRPOPLPUSH l m 1", "LRANGE m 0 -1", "BRPOPLPUSH l m"),
    ...commands("BRPOPLPUSH none m 0.01", "BLMOVE none m LEFT RIGHT 0.01", "MULTI"),
    ...commands("BLMOVE none m LEFT RIGHT 0.01", "EXEC"),
  ],
};

describe("as Redis 7.0", { tags: "redis-server" }, () => {
  const server = sharedByTests(() => startRedis());
  const redis = sharedByTests(async () => new ReplyClient(connect(server.path!)));

  test("reading a consumer's history sets the delivery time", async () => {
    const idle = ["XPENDING", "x", "g", "IDLE", "200", "-", "+", "10"];
    const [expected, actual] = await Promise.all(
      [redis, embedded].map(async (side) => {
        await side.run([
          ["FLUSHALL"],
          ...commands("XADD x 1-1 f v", "XGROUP CREATE x g 0", "XREADGROUP GROUP g a STREAMS x >"),
        ]);
        await new Promise((resolve) => setTimeout(resolve, 250));
        const [before] = await side.run([idle]);
        const [, after] = await side.run([["XREADGROUP", "GROUP", "g", "a", "STREAMS", "x", "0"], idle]);
        return [before!.length, after];
      }),
    );
    expect(expected).toEqual([1, []]);
    expect(actual).toEqual(expected);
  });

  test.each([
    ["after WATCH", "WATCH k", "PING"],
    ["before WATCH", "PING", "WATCH k"],
  ])("EXEC of a client that watches a key that expired %s", async (_when, before, after) => {
    const [expected, actual] = await Promise.all(
      [redis, embedded].map(async (side) => {
        await side.run(commands("FLUSHALL", "SET k v PX 20", before));
        await new Promise((resolve) => setTimeout(resolve, 50));
        return side.run(commands(after, "MULTI", "GET k", "EXEC"));
      }),
    );
    expect(actual).toEqual(expected);
  });

  test.each(Object.entries(SAME))("the reply is that of Redis 7.0: %s", async (_name, commands) => {
    const all = [["FLUSHALL"], ["SELECT", "0"], ...commands];
    const [expected, actual] = await Promise.all([redis.run(all), embedded.run(all)]);
    await Promise.all([redis.run([["SELECT", "0"]]), embedded.run([["SELECT", "0"]])]);
    expect(all.map((command, index) => [command, actual[index]])).toEqual(
      all.map((command, index) => [command, expected[index]]),
    );
  });

  test("FUNCTION LIST has the descriptions, in any order", async () => {
    const commands = [
      ["FUNCTION", "FLUSH"],
      ["FUNCTION", "LOAD", LIBRARY],
      ["FUNCTION", "LIST"],
    ];
    const functions = async (client: ReplyClient) => {
      const [library] = (await client.run(commands))[2] as Reply[][];
      return (library![5] as Reply[][]).map((item) => [item[1], item[3]]).sort();
    };
    expect(await functions(embedded)).toEqual([
      ["$one", "$returns one"],
      ["$two", "$-1"],
    ]);
    expect(await functions(embedded)).toEqual(await functions(redis));
  });

  test("every data command of Redis 7.0 exists but three", async () => {
    const names = async (client: ReplyClient) => {
      const [list] = (await client.run([["COMMAND", "LIST"]])) as [string[]];
      return list.map((name) => name.slice(1).toUpperCase()).filter((name) => !name.includes("|"));
    };
    const own = new Set(await names(embedded));
    const absent =
      "ASKING BGREWRITEAOF BGSAVE CLUSTER DEBUG DUMP FAILOVER LATENCY LOLWUT MIGRATE MODULE PFDEBUG PFSELFTEST PSYNC READONLY READWRITE REPLCONF REPLICAOF RESTORE RESTORE-ASKING SAVE SLAVEOF SWAPDB SYNC";
    expect((await names(redis)).filter((name) => !own.has(name)).sort()).toEqual(absent.split(" "));
  });
});

test("HEXPIRETIME and HPEXPIRETIME return when a field expires", async () => {
  const replies = await run(
    ["HSET", "h", "a", "1", "b", "2"],
    ["HEXPIREAT", "h", "4000000000", "FIELDS", "1", "a"],
    ["HEXPIRETIME", "h", "FIELDS", "3", "a", "b", "c"],
    ...commands("HPEXPIRETIME h FIELDS 1 a", "HEXPIRETIME missing FIELDS 1 a", "HEXPIRETIME h FIELDS 2 a"),
  );
  expect(replies.slice(2)).toEqual([
    [":4000000000", ":-1", ":-2"],
    [":4000000000000"],
    [":-2"],
    "-ERR The `numfields` parameter must match the number of arguments",
  ]);
});

test("fields that have expired are cleared away without a read, and their hash with the last one", async () => {
  await run(
    ...commands("HSET part a 1 b 2", "HPEXPIRE part 20 FIELDS 1 a", "RENAME part left"),
    // Last, so that all have expired when it is gone.
    ...commands("HSET gone a 1 b 2", "HPEXPIRE gone 20 FIELDS 2 a b", "HSET same b 2"),
  );
  await expect.poll(() => embedded.run([["DBSIZE"]])).toEqual([":2"]);
  const [exists, type, left, same] = await embedded.run([
    ...commands("EXISTS gone", "TYPE gone", "MEMORY USAGE left", "MEMORY USAGE same"),
  ]);
  expect([exists, type]).toEqual([":0", "+none"]);
  expect(left).toBe(same);
});

test("TIME is the clock's time in microseconds, and later each time", async () => {
  const replies = (await run(...Array.from({ length: 100 }, () => ["TIME"]))) as [string, string][];
  const times = replies.map(
    ([seconds, micros]) => Number(seconds.slice(1)) * 1_000_000 + Number(micros.slice(1)),
  );
  expect([...new Set(times)].sort((a, b) => a - b)).toEqual(times);
  expect(Math.abs(times.at(-1)! / 1_000 - Date.now())).toBeLessThan(1_000);
});

test("a defect of a command is its error, and the connection goes on", async () => {
  const [, reply, pong] = await run(...commands("ZADD k 1.5 a", "GEOPOS k a", "PING"));
  expect([String(reply).slice(0, 19), pong]).toEqual(["-ERR internal error", "+PONG"]);
});

test("INFO and HELLO name the engine", async () => {
  const { "js-redis-server": version } = manifest.devDependencies;
  const [info, hello] = await run(["INFO", "server"], ["HELLO"]);
  expect(info).toMatch(/^redis_version:7\.4\.0\r$/m);
  expect(info).toMatch(/^server_name:warmline-embedded\r$/m);
  expect(info).toMatch(new RegExp(`^process_id:${process.pid}\\r$`, "m"));
  expect(info).toContain(`\njs_redis_server_version:${version}\r`);
  expect(hello).toContain("$7.4.0");
});

describe("SCAN", () => {
  const page = async (cursor: string, ...options: string[]) => {
    const [reply] = (await embedded.run([["SCAN", cursor, ...options]])) as [[string, string[]]];
    return { next: reply[0].slice(1), keys: reply[1].map((key) => key.slice(1)) };
  };

  test("SCAN returns every key that exists throughout, while others come and go", async () => {
    const names = (prefix: string) => Array.from({ length: 200 }, (_, index) => `${prefix}${index}`);
    await run(["MSET", ...[...names("stay"), ...names("go")].flatMap((key) => [key, "v"])]);
    const going = names("go");
    const seen = new Set<string>();
    for (let cursor = "0", round = 0; ; round++) {
      const { next, keys } = await page(cursor, "COUNT", "10");
      for (const key of keys) seen.add(key);
      await embedded.run([
        ["DEL", ...going.splice(0, 20), "none"],
        ["SET", `new${round}`, "v"],
      ]);
      if (next === "0") break;
      cursor = next;
    }
    expect([...seen].filter((key) => key.startsWith("stay"))).toHaveLength(200);
  });

  test.each([
    ["HSCAN", (name: string) => ["HSET", "k", name, "v"], 2],
    ["SSCAN", (name: string) => ["SADD", "k", name], 1],
    ["ZSCAN", (name: string) => ["ZADD", "k", "1", name], 2],
  ])("%s returns every item that exists throughout", async (command, write, width) => {
    const names = Array.from({ length: 300 }, (_, index) => `m${index}`);
    await run(...names.map(write));
    const seen = new Set<string>();
    let removed = 0;
    for (let cursor = "0"; ; ) {
      const [reply] = (await embedded.run([[command, "k", cursor, "COUNT", "20"]])) as [[string, string[]]];
      for (let at = 0; at < reply[1].length; at += width) seen.add(reply[1][at]!.slice(1));
      const remove = { HSCAN: "HDEL", SSCAN: "SREM", ZSCAN: "ZREM" }[command]!;
      await embedded.run([[remove, "k", ...names.slice(removed, removed + 5)]]);
      removed += 5;
      cursor = reply[0].slice(1);
      if (cursor === "0") break;
    }
    expect(names.slice(removed).filter((name) => !seen.has(name))).toEqual([]);
  });
});
