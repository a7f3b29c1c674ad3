import { expect, test } from "vitest";
import { messagesByLine, programOf } from "../../support/type-check.js";

// A mistake causes one message of the compiler, and the message names the problem.

const HEAD = `import { Redis } from "../../src/index.js";
declare const redis: Redis;
interface Profile { name: string; age: number }
`;

const mistakes: [code: string, message: string][] = [
  [
    'redis.set("k", 1, { ex: 60, px: 1 })',
    `Type 'number' is not assignable to type '"only one of ex, px, exat, pxat and keepTtl"'.`,
  ],
  [
    'redis.set("k", 1, { nx: true, xx: true })',
    `Type 'true' is not assignable to type '"only one of nx, xx, ifEq, ifNe, ifDeq and ifDne"'.`,
  ],
  [
    'redis.set("k", 1, { exx: 60 })',
    `Type 'number' is not assignable to type '"unknown option exx: did you mean ex?" | "unknown option exx: did you mean xx?"'.`,
  ],
  [
    'redis.set("k", 1, { ex: "60" })',
    `Type '"60"' is not assignable to type 'number | "only one of ex, px, exat, pxat and keepTtl" | undefined'.`,
  ],
  [
    'redis.set<number>("k", 1, { exx: 60 })',
    "Object literal may only specify known properties, and 'exx' does not exist in type 'SetOptions'.",
  ],
  [
    'redis.lcs("a", "b", { lenn: true })',
    "Object literal may only specify known properties, but 'lenn' does not exist in type 'LcsOptions<false, false>'. Did you mean to write 'len'?",
  ],
  [
    'redis.zadd("z", { nxx: true }, { score: 1, member: "a" })',
    `Type 'true' is not assignable to type '"unknown option nxx: did you mean nx?" | "unknown option nxx: did you mean xx?"'.`,
  ],
  [
    'redis.zrange("z", 0, -1, { withScroes: true })',
    `Type 'true' is not assignable to type '"unknown option withScroes: did you mean withScores?"'.`,
  ],
  [
    'redis.zrange("z", "a", "b", { byLex: true })',
    `Argument of type '"a"' is not assignable to parameter of type 'RangeBound<{ byLex: true; }>'.`,
  ],
  [
    'redis.xgroup("s", { type: "DESTROY", grp: "g" })',
    `Type '"g"' is not assignable to type '"unknown option grp: did you mean group?"'.`,
  ],
  ["redis.del()", "Expected 1 arguments, but got 0."],
  ["redis.del(1)", "Argument of type 'number' is not assignable to parameter of type 'Key'."],
  [
    'redis.hmget<Profile>("h", "name", "email")',
    `Argument of type '"email"' is not assignable to parameter of type '"name" | "age"'.`,
  ],
  [
    'new Redis({ url: "u", timout: 5 })',
    "Object literal may only specify known properties, and 'timout' does not exist in type 'Requester | RedisOptions<CodecName, any>'.",
  ],
  [
    'new Redis("redis://x")',
    `Argument of type '"redis://x"' is not assignable to parameter of type 'Requester | RedisOptions<CodecName, any> | undefined'.`,
  ],
  [
    "redis.with({ timout: 5 })",
    "Object literal may only specify known properties, but 'timout' does not exist in type 'CallOptions<never, never> & ScopeOptions'. Did you mean to write 'timeout'?",
  ],
  [
    'const scored: { member: string; score: number }[] = await redis.zrange("z", 0, -1, { withScores: true })',
    `Type '(number | { member: string; score: number; })[]' is not assignable to type '{ member: string; score: number; }[]'.
  Type 'number | { member: string; score: number; }' is not assignable to type '{ member: string; score: number; }'.
    Type 'number' is not assignable to type '{ member: string; score: number; }'.`,
  ],
  [
    'const popped: string | null = await redis.spop("s", 2)',
    "Type 'string[]' is not assignable to type 'string'.",
  ],
  [
    'const pages: string[] = await redis.xread("s", "0")',
    `Type 'StreamEntries<unknown>' is not assignable to type 'string[]'.
  Type 'null' is not assignable to type 'string[]'.`,
  ],
];

test("each mistake gives one message that names it", { timeout: 120_000 }, () => {
  const lines = mistakes.map(([code]) => `${code};`);
  const found = messagesByLine(programOf(`${HEAD}${lines.join("\n")}\nexport {};\n`));
  const first = HEAD.split("\n").length - 1;
  const said = mistakes.map(([code], at) => [code, found.get(first + at)?.join("\nand: ")]);
  expect(said).toEqual(mistakes);
});
