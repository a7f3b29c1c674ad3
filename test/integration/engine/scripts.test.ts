import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Reply, ReplyClient } from "../../support/differential/replies.js";
import { type BareEngine, describeBareEngines } from "./without-gateway.js";

/** Scripts with one key, k, and their replies. */
const SCRIPTS: readonly (readonly [script: string, reply: Reply])[] = [
  // The first of several results.
  ["return string.gsub('a-b', '-', '+')", "$a+b"],
  ["return unpack({7, 8, 9})", ":7"],
  ["return 1, 2", ":1"],
  // Numbers to commands and back.
  ["redis.call('set', KEYS[1], 1764203926123456) return redis.call('get', KEYS[1])", "$1764203926123456"],
  ["redis.call('incrby', KEYS[1], 1764203926123456) return redis.call('get', KEYS[1])", "$1764203926123456"],
  ["redis.call('set', KEYS[1], 0.1 + 0.2) return redis.call('get', KEYS[1])", "$0.30000000000000004"],
  ["redis.call('set', KEYS[1], -7) return redis.call('get', KEYS[1])", "$-7"],
  ["redis.call('set', KEYS[1], 1 / 0) return redis.call('get', KEYS[1])", "$inf"],
  [
    "redis.call('rpush', KEYS[1], 1, 2.5, 'x') return redis.call('lrange', KEYS[1], 0, -1)",
    ["$1", "$2.5", "$x"],
  ],
  [
    "for i = 1, 4 do redis.call('zadd', KEYS[1], 1764203926123 * 4096 + i, 'j' .. i) end return redis.call('zrange', KEYS[1], 0, -1)",
    ["$j1", "$j2", "$j3", "$j4"],
  ],
  ["return 3.99", ":3"],
  ["return {1.5, 'a', false, -2.5}", [":1", "$a", "$-1", ":-2"]],
  ["return 1e20", ":-9223372036854775808"],
  ["return {-1e20, 0/0, 1/0}", [":-9223372036854775808", ":-9223372036854775808", ":-9223372036854775808"]],
  // Integers of 64 bits.
  ["return string.format('%d', 1764203926123)", "$1764203926123"],
  [
    "return string.format('%d|%i|%5d|%-5d|%+d|%05d', 2^40, -2^40, 2^35, 7, 2^40, -5)",
    "$1099511627776|-1099511627776|34359738368|7    |+1099511627776|-0005",
  ],
  [
    "return string.format('%x %X %o %u %#x', 2^40, -1, 2^33, -1, 255)",
    "$10000000000 FFFFFFFFFFFFFFFF 100000000000 18446744073709551615 0xff",
  ],
  [
    "return string.format('%s %q %5.2f %g %c %i %%', 'a', 'b', 1.234, 1e20, 65, 42)",
    '$a "b"  1.23 1e+20 A 42 %',
  ],
  ["return tonumber('7fffffffff', 16)", ":549755813887"],
  [
    "return {tonumber('z', 36), tonumber('0x1f', 16), tonumber('12', 3), tostring(tonumber('8', 8))}",
    [":35", ":31", ":5", "$nil"],
  ],
  ["return struct.unpack('>I8', struct.pack('>I8', 1099511627776))", ":1099511627776"],
  ["return struct.pack('>i8', 1099511627776)", "$\0\0\x01\0\0\0\0\0"],
  ["return {struct.unpack('<i8B', struct.pack('<i8B', -5, 7))}", [":-5", ":7", ":10"]],
  ["return {struct.size('l'), struct.size('i4'), struct.size('>I8')}", [":8", ":4", ":8"]],
  ["return cmsgpack.unpack(cmsgpack.pack(1099511627776))", ":1099511627776"],
  ["return bit.tohex(2^32 - 1)", "$ffffffff"],
  // Shebang and its flags.
  ["#!lua\nreturn 5", ":5"],
  ["#!lua flags=no-writes\nreturn redis.call('exists', KEYS[1])", ":0"],
  [
    "#!lua flags=no-writes\nlocal reply = redis.call('set', KEYS[1], 1) return reply",
    "-ERR Write commands are not allowed from read-only scripts. script: SHA, on @user_script:2.",
  ],
  ["#!lua flags=foo\nreturn 5", "-ERR Unexpected flag in script shebang: foo"],
  ["#!js\nreturn 5", "-ERR Unexpected engine in script shebang: #!js"],
  // RESP3.
  ["return {double = 3.5}", "$3.5"],
  ["return {map = {a = 1}}", ["$a", ":1"]],
  ["return {set = {a = true}}", ["$a"]],
  ["return {big_number = '12345678901234567890'}", "$12345678901234567890"],
  ["return {verbatim_string = {format = 'txt', string = 'hi'}}", "$hi"],
  ["return {true, false}", [":1", "$-1"]],
  ["redis.setresp(3) return {true, false}", [":1", ":0"]],
  ["redis.setresp(3) redis.call('hset', KEYS[1], 'a', 1) return redis.call('hgetall', KEYS[1]).map.a", "$1"],
  [
    "redis.setresp(3) redis.call('sadd', KEYS[1], 'a') return tostring(redis.call('smembers', KEYS[1]).set.a)",
    "$true",
  ],
  [
    "redis.setresp(3) redis.call('zadd', KEYS[1], 1.5, 'a') return tostring(redis.call('zscore', KEYS[1], 'a').double)",
    "$1.5",
  ],
  ["redis.setresp(3) return tostring(redis.call('get', KEYS[1]))", "$nil"],
  ["return tostring(redis.call('get', KEYS[1]))", "$false"],
  ["redis.call('hset', KEYS[1], 'a', 1) return redis.call('hgetall', KEYS[1])", ["$a", "$1"]],
  // Errors.
  ["error({err = 'LIMIT x'})", "-LIMIT x script: SHA, on @user_script:1."],
  ["error(redis.error_reply('My Err'))", "-My Err script: SHA, on @user_script:1."],
  ["error('plain')", "-ERR user_script:1: plain script: SHA, on @user_script:1."],
  [
    "\n\nlocal reply = redis.call('nosuch')",
    "-ERR Unknown Redis command called from script script: SHA, on @user_script:3.",
  ],
  ["return redis.pcall('nosuch')", "-ERR Unknown Redis command called from script"],
  [
    "local ok, text = pcall(redis.call, 'get') return {tostring(ok), text}",
    ["$false", "$ERR Wrong number of args calling Redis command from script"],
  ],
  ["local ok, thrown = pcall(error, {code = 5}) return thrown.code", ":5"],
  ["return {err = 'X y'}", "-X y"],
  ["return redis.error_reply('My Err')", "-My Err"],
  ["return redis.status_reply('fine')", "+fine"],
  [
    "return nosuch",
    "-ERR user_script:1: Script attempted to access nonexistent global variable 'nosuch' script: SHA, on @user_script:1.",
  ],
  ["nosuch = 1", "-ERR user_script:1: Attempt to modify a readonly table script: SHA, on @user_script:1."],
  [
    "return nil +",
    "-ERR Error compiling script (new function): user_script:1: unexpected symbol near '<eof>'",
  ],
  // The interface.
  ["return redis.replicate_commands()", ":1"],
  ["return redis.set_repl(redis.REPL_ALL)", "$-1"],
  ["return redis.acl_check_cmd('set', 'a', 'b')", ":1"],
  ["return {type(redis.REDIS_VERSION), type(redis.REDIS_VERSION_NUM)}", ["$string", "$number"]],
  [
    "local co = coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end) return {co(), co()}",
    [":1", ":2"],
  ],
];

const LIBRARY = `#!lua name=lib
local count = 0
local register = redis.register_function
local function counted(name)
  return function(keys, args) count = count + 1 return { name, keys[1], args[1], count } end
end
register('first', counted('first'))
register('second', counted('second'))
redis.register_function{ function_name = 'writes', callback = function(keys) return redis.call('set', keys[1], 1) end, flags = { 'no-writes' } }
redis.register_function{ function_name = 'sets', callback = function(keys) return redis.call('set', keys[1], 2^40) end, description = 'sets a key' }`;

/** Commands about functions, and their replies. */
const FUNCTIONS: readonly (readonly [command: readonly string[], reply: Reply])[] = [
  [["FUNCTION", "LOAD", LIBRARY], "$lib"],
  [["FUNCTION", "LOAD", LIBRARY], "-ERR Library 'lib' already exists"],
  [
    ["FCALL", "first", "1", "k", "a"],
    ["$first", "$k", "$a", ":1"],
  ],
  [
    ["FCALL", "second", "1", "k", "a"],
    ["$second", "$k", "$a", ":2"],
  ],
  [["FCALL", "sets", "1", "k"], "+OK"],
  [["GET", "k"], "$1099511627776"],
  [["FCALL_RO", "sets", "1", "k"], "-ERR Can not execute a script with write flag using *_ro command."],
  [["FCALL", "none", "0"], "-ERR Function not found"],
  [
    ["FUNCTION", "LOAD", "#!lua name=other\nredis.register_function('first', function() end)"],
    "-ERR Function first already exists",
  ],
  [["FUNCTION", "LOAD", "#!lua name=other\nlocal x"], "-ERR No functions registered"],
  [
    ["FUNCTION", "LOAD", "#!lua name=other\nlocal x = ("],
    "-ERR Error compiling function: user_function:2: unexpected symbol near '<eof>'",
  ],
  [
    ["FUNCTION", "LOAD", "#!lua name=other\nredis.call('get', 'k')"],
    "-ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'call'",
  ],
  [
    [
      "FUNCTION",
      "LOAD",
      "#!lua name=other\nredis.register_function{function_name='f', callback=print and 1, flags={'bad'}}",
    ],
    "-ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'print'",
  ],
  [
    [
      "FUNCTION",
      "LOAD",
      "#!lua name=other\nredis.register_function{function_name='f', callback=function() end, flags={'bad'}}",
    ],
    "-ERR Error registering functions: ERR unknown flag given",
  ],
  [["FUNCTION", "LOAD", "local x"], "-ERR Missing library metadata"],
  [["FUNCTION", "LOAD", "#!lua\nlocal x"], "-ERR Library name was not given"],
  [["FUNCTION", "LOAD", "#!js name=x\nlocal x"], "-ERR Engine 'js' not found"],
  [["FUNCTION", "DELETE", "lib"], "+OK"],
  [["FCALL", "first", "0"], "-ERR Function not found"],
];

/** A script's hash is its own in each text of it. */
const withoutHashes = (reply: Reply): Reply =>
  typeof reply === "string" ? reply.replace(/[0-9a-f]{40}/g, "SHA") : reply.map(withoutHashes);

describeBareEngines("scripts", (start) => {
  let engine: BareEngine;
  let client: ReplyClient;
  beforeAll(async () => {
    engine = await start();
    client = new ReplyClient(engine.open());
  });
  beforeEach(() => client.run([["FLUSHALL"], ["FUNCTION", "FLUSH"]]));
  afterAll(async () => {
    client.close();
    await engine.stop();
  });

  test.each(SCRIPTS)("%j replies %j", async (script, expected) => {
    const [reply] = await client.run([["EVAL", script, "1", "k"]]);
    expect(withoutHashes(reply!)).toEqual(expected);
  });

  test("functions run the code of their library once, with the flags that it gave them", async () => {
    const replies = await client.run(FUNCTIONS.map(([command]) => command));
    expect(replies.map(withoutHashes)).toEqual(FUNCTIONS.map(([, reply]) => reply));
    const [, write] = await client.run([
      ["FUNCTION", "LOAD", LIBRARY],
      ["FCALL", "writes", "1", "k"],
    ]);
    expect(String(write)).toMatch(
      /^-ERR Write commands are not allowed from read-only scripts\. script: writes, on @user_function:/,
    );
  });

  test("libraries come back from a dump", async () => {
    const [, dump] = await client.run([
      ["FUNCTION", "LOAD", LIBRARY],
      ["FUNCTION", "DUMP"],
      ["FUNCTION", "FLUSH"],
    ]);
    const [restored, reply, again] = await client.run([
      ["FUNCTION", "RESTORE", String(dump).slice(1)],
      ["FCALL", "second", "1", "k", "a"],
      ["FUNCTION", "RESTORE", String(dump).slice(1)],
    ]);
    expect([restored, reply]).toEqual(["+OK", ["$second", "$k", "$a", ":1"]]);
    expect(again).toBe("-ERR Library lib already exists");
  });
});
