import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { messagesByLine, programOf } from "../../support/type-check.js";

// Programs of users with other settings of the compiler.

const root = join(import.meta.dirname, "../../..");

/** Returns the errors of a program, each with its text. */
function errorsOf(code: string, options: ts.CompilerOptions): string[] {
  const file = join(root, "user-program.ts");
  const all: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: ["node"], lib: ["lib.es2023.d.ts"] },
    ...{ target: ts.ScriptTarget.ES2022, ignoreDeprecations: "5.0", ...options },
  };
  const host = ts.createCompilerHost(all);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, language, ...rest) =>
    name === file ? ts.createSourceFile(name, code, language) : getSourceFile(name, language, ...rest);
  host.getCurrentDirectory = () => root;
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], all, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

test("every entry resolves under moduleResolution node10", { timeout: 180_000 }, () => {
  const entries = [
    ...["warmline", "warmline/fetch", "warmline/modules", "warmline/idempotent", "warmline/streams"],
    ...[
      "warmline/near",
      "warmline/cache",
      "warmline/otel",
      "warmline/undici",
      "warmline/ioredis",
      "warmline/node-redis",
    ],
    ...["warmline-gateway", "warmline-gateway/testing", "warmline-gateway/msw"],
    ...["warmline-adapters/express-session", "warmline-adapters/keyv", "warmline-adapters/next"],
  ];
  const code = entries
    .map((entry, at) => `import * as entry${at} from "${entry}";\nvoid entry${at};\n`)
    .join("");
  const settings = { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 };
  // A name that does not exist fails, so the others mean something.
  const nothing = 'import * as nothing from "warmline/nothing"; void nothing;';
  expect(errorsOf(nothing, settings)).toEqual([expect.stringContaining("warmline/nothing")]);
  expect(errorsOf(code, settings)).toEqual([]);
});

test("options may be undefined under exactOptionalPropertyTypes", { timeout: 180_000 }, () => {
  const code = `import { Redis } from "../../src/index.js";
import { cached } from "../../src/cache.js";
import { idempotent } from "../../src/idempotent.js";
import { follow, produce } from "../../src/streams.js";
import { startLoopback } from "../../src/node-redis.js";
import { createGateway } from "../../gateway/src/index.js";
import { KeyvStore } from "../../adapters/src/keyv.js";
const maybe = <T>(value: T): T | undefined => value;
const redis = new Redis({ url: maybe("u"), token: maybe("t"), timeout: maybe(1), retry: maybe({ retries: maybe(1) }) });
redis.with({ signal: maybe(new AbortController().signal), timeout: maybe(1), retry: maybe(false as const) });
await redis.set("k", "v", { ex: maybe(1), nx: maybe(true), get: maybe(false) });
await redis.scan(0, { match: maybe("a*"), count: maybe(1) });
await redis.zrange("z", 0, 1, { rev: maybe(true), withScores: maybe(true) });
await redis.zadd("z", { nx: maybe(true), ch: maybe(true) }, { score: 1, member: "m" });
await redis.lpos("l", "v", { rank: maybe(1), count: maybe(2) });
await redis.xread("s", "0", { count: maybe(1) });
await redis.expire("k", 1);
await redis.hscan("h", 0, { match: maybe("a"), count: maybe(1) });
cached(redis, "n", (id: string) => id, { key: (id) => id, fresh: 1, stale: maybe(1), lease: maybe(1) });
void idempotent(redis, "k", () => 1, { lease: maybe(1), wait: maybe(1) });
follow(redis, "s", { from: maybe("0-0"), signal: maybe(new AbortController().signal) });
produce(redis, "s", { ttl: maybe(1), maxLen: maybe(1) });
void redis.geosearch("g", { type: "FROMMEMBER", member: "a" }, { type: "BYRADIUS", radius: 1, radiusType: "KM" }, "ASC",
  { count: maybe({ limit: 1, any: maybe(true) }), withCoord: maybe(true) });
void redis.xadd("s", "*", { a: 1 },
  { trim: maybe({ type: "MAXLEN" as const, threshold: 1, comparison: "~" as const, limit: maybe(1) }) });
void redis.xinfo("s", { type: "STREAM", full: maybe(true), count: maybe(1) });
void redis.xgroup("s", { type: "SETID", group: "g", id: "$", options: maybe({ ENTRIESREAD: maybe(1) }) });
void redis.sort("l", { by: maybe("x"), store: maybe("d") });
void redis.zunion(1, "z", { weights: maybe([1]), withScores: maybe(true) });
void redis.update("k", () => 1, { attempts: maybe(1) });
redis.createScript("return 1", { readonly: maybe(true) });
void startLoopback({ url: maybe("u"), debug: maybe(true) });
void createGateway({ redis: maybe("r"), port: maybe(1), token: maybe("t"), engine: maybe("embedded" as const) });
new KeyvStore(redis as never, { prefix: maybe("p") });
`;
  const program = programOf(code, { exactOptionalPropertyTypes: true });
  expect([...messagesByLine(program).values()].flat()).toEqual([]);
});
