import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createGateway } from "warmline-gateway";
import { sharedByTests } from "../support/lifetime.js";
import { newFolder } from "../support/new-folder.js";
import { run } from "../support/packages/run.js";

// The packed tarballs, installed into an empty project, as a user gets them.

const root = resolve(import.meta.dirname, "../..");
const folder = newFolder("packages");
const gateway = sharedByTests(() => createGateway({ engine: "embedded", port: 0 }));
const tarballs = inject("tarballs");

beforeAll(async () => {
  writeFileSync(join(folder, "package.json"), '{"name":"empty","private":true}');
  await run("npm", ["install", "--no-audit", "--no-fund", tarballs.warmline], folder);
});

const environment = () => ({ WARMLINE_URL: gateway.url, WARMLINE_TOKEN: gateway.token });

describe("warmline, installed from its tarball", () => {
  test("warmline has no dependencies", () => {
    expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "warmline",
    ]);
    const manifest = JSON.parse(readFileSync(join(folder, "node_modules/warmline/package.json"), "utf8"));
    expect(manifest.dependencies ?? {}).toEqual({});
    expect(manifest.peerDependencies).toEqual({ "@opentelemetry/api": ">=1.9.0 <2", undici: ">=7" });
    const optional = { optional: true };
    expect(manifest.peerDependenciesMeta).toEqual({ "@opentelemetry/api": optional, undici: optional });
  });

  const script = `
    const redis = Redis.fromEnv();
    const value = { name: "Ada", n: [1, 2.5, null] };
    await redis.set("pack", value);
    console.log(JSON.stringify([await redis.get("pack"), await redis.pipeline().incr("n").get("pack").exec()]));
  `;

  test.each([
    ["an ES module", "esm.mjs", `import { Redis } from "warmline";${script}`],
    ["CommonJS", "cjs.cjs", `const { Redis } = require("warmline"); (async () => {${script}})();`],
    ["an ES module, by fetch", "fetch.mjs", `import { Redis } from "warmline/fetch";${script}`],
    [
      "CommonJS, by fetch",
      "fetch.cjs",
      `const { Redis } = require("warmline/fetch"); (async () => {${script}})();`,
    ],
  ])("warmline runs from %s and lets the process end", async (_what, file, source) => {
    writeFileSync(join(folder, file), source);
    const [value, [n, again]] = JSON.parse(await run("node", [file], folder, environment()));
    expect(value).toEqual({ name: "Ada", n: [1, 2.5, null] });
    expect(again).toEqual(value);
    expect(n).toBeGreaterThan(0);
  });

  const streams = `
    const redis = Redis.fromEnv();
    const key = "stream:" + process.pid;
    const writer = produce(redis, key).getWriter();
    await writer.write({ n: 1 });
    await writer.close();
    const values = [];
    for await (const { fields } of follow(redis, key)) values.push(fields.n);
    const next = cached(redis, "next", () => redis.incr("next:n"), { key: () => key, fresh: 60 });
    const results = [await idempotent(redis, "once", (guarded) => guarded.incr("once:n")), (await next()) === (await next())];
    const held = Redis.fromEnv({ near: near({ match: key + "*" }) });
    const reads = [await held.get(key + ":near"), await held.get(key + ":near")];
    const packed = redis.with({ codec: compress({ codec: "text" }) });
    await packed.set(key + ":packed", "text ".repeat(1_000));
    const length = (await packed.get(key + ":packed")).length;
    const sizes = [length, (await redis.strlen(key + ":packed")) < 100];
    console.log(JSON.stringify([values, ...results, reads, held.stats().near.hits, sizes]));
  `;

  test.each([
    [
      "an ES module",
      "streams.mjs",
      `import { Redis } from "warmline";
      import { follow, produce } from "warmline/streams";
      import { idempotent } from "warmline/idempotent";
      import { cached } from "warmline/cache";
      import { compress } from "warmline/compress";
      import { near } from "warmline/near";${streams}`,
    ],
    [
      "CommonJS",
      "streams.cjs",
      `const { Redis } = require("warmline");
      const { follow, produce } = require("warmline/streams");
      const { idempotent } = require("warmline/idempotent");
      const { cached } = require("warmline/cache");
      const { compress } = require("warmline/compress");
      const { near } = require("warmline/near");(async () => {${streams}})();`,
    ],
  ])("the other entries run from %s", async (_what, file, source) => {
    writeFileSync(join(folder, file), source);
    const [values, result, isCached, reads, hits, sizes] = JSON.parse(
      await run("node", [file], folder, environment()),
    );
    expect(values).toEqual([1]);
    expect(result).toBe(1);
    expect(isCached).toBe(true);
    expect({ reads, hits }).toEqual({ reads: [null, null], hits: 1 });
    expect(sizes).toEqual([5_000, true]);
  });

  describe("warmline/otel", () => {
    const program = (load: string) => `${load}
      const stop = startTelemetry();
      const redis = Redis.fromEnv({ tracing: createTracing() });
      const value = await redis.get("otel");
      stop();
      console.log(JSON.stringify(value));`;
    const modules = program(`import { Redis } from "warmline";
      import { createTracing, startTelemetry } from "warmline/otel";`);

    test("without @opentelemetry/api, the import fails and names it", async () => {
      writeFileSync(join(folder, "otel.mjs"), modules);
      await expect(run("node", ["otel.mjs"], folder, environment())).rejects.toThrow("@opentelemetry/api");
    });

    test("without an SDK, it does nothing", async () => {
      const apart = newFolder("otel");
      writeFileSync(join(apart, "package.json"), '{"name":"empty","private":true}');
      const api = "@opentelemetry/api@1.9.1";
      await run("npm", ["install", "--no-audit", "--no-fund", tarballs.warmline, api], apart);
      writeFileSync(join(apart, "otel.mjs"), modules);
      const required = program(`const { Redis } = require("warmline");
        const { createTracing, startTelemetry } = require("warmline/otel");
        (async () => {`);
      writeFileSync(join(apart, "otel.cjs"), `${required}})();`);
      for (const file of ["otel.mjs", "otel.cjs"]) {
        expect(await run("node", [file], apart, environment())).toBe("null\n");
      }
    });
  });

  test("two copies, ESM and CommonJS, share connections and recognise each other's errors", async () => {
    writeFileSync(
      join(folder, "both.mjs"),
      `import { Redis, RedisError } from "warmline";
       import { createRequire } from "node:module";
       const other = createRequire(import.meta.url)("warmline");
       const [a, b] = [Redis.fromEnv(), other.Redis.fromEnv()];
       await a.set("text", "x");
       const error = await b.incr("text").catch((thrown) => thrown);
       console.log(JSON.stringify([other.Redis !== Redis, error instanceof RedisError, a.stats().opened]));`,
    );
    expect(JSON.parse(await run("node", ["both.mjs"], folder, environment()))).toEqual([true, true, 1]);
  });

  test.each([
    ["an ES module", "trace.mjs", 'import { Redis } from "warmline";'],
    ["CommonJS", "trace.cjs", 'const { Redis } = require("warmline");'],
    ["an ES module, by fetch", "trace-fetch.mjs", 'import { Redis } from "warmline/fetch";'],
    ["CommonJS, by fetch", "trace-fetch.cjs", 'const { Redis } = require("warmline/fetch");'],
  ])("a stack trace from %s names the source with --enable-source-maps", async (_what, file, line) => {
    writeFileSync(
      join(folder, file),
      `${line} try { new Redis({ url: "redis://host", token: "t" }); } catch (error) { console.log(error.stack); }`,
    );
    expect(sourceLine(await run("node", ["--enable-source-maps", file], folder), root)).toMatch(
      /new ConfigError\(/,
    );
  });

  test("the fetch entry imports nothing of Node", async () => {
    for (const [entry, format] of [
      ["fetch.js", "esm"],
      ["fetch.cjs", "cjs"],
    ] as const) {
      // With all that it loads. Anything of Node's would be an import that can't be resolved.
      const { outputFiles } = await build({
        entryPoints: [join(folder, "node_modules/warmline/dist", entry)],
        bundle: true,
        format,
        platform: "neutral",
        write: false,
      });
      expect(outputFiles[0]!.text).not.toMatch(/["']node:|\bBuffer\b/);
    }
  });
});

/** Returns the line of a source in `folder` that the first mapped frame of a stack trace names. */
function sourceLine(stack: string, folder: string): string {
  const [, source, line] = /[\\/](src[\\/][^:]+\.ts):(\d+):\d+/.exec(stack) ?? [];
  expect(source, stack).toBeDefined();
  return readFileSync(join(folder, source!), "utf8").split("\n")[Number(line) - 1]!;
}

describe("warmline-gateway, installed from its tarball", () => {
  beforeAll(() => run("npm", ["install", "--no-audit", "--no-fund", tarballs["warmline-gateway"]], folder));

  test.each([
    ["an ES module", "gateway.mjs", 'import { createGateway } from "warmline-gateway";'],
    ["CommonJS", "gateway.cjs", 'const { createGateway } = require("warmline-gateway");'],
  ])("warmline-gateway starts in-process from %s", async (_what, file, line) => {
    writeFileSync(
      join(folder, file),
      `${line}
       (async () => {
         const gateway = await createGateway({ engine: "embedded", port: 0 });
         const { Redis } = await import("warmline");
         const redis = new Redis({ url: gateway.url, token: gateway.token });
         console.log(await redis.eval("return redis.call('INCR', KEYS[1])", ["n"], []));
         await gateway.close();
       })();`,
    );
    expect(await run("node", [file], folder)).toBe("1\n");
  });

  test.each([
    ["an ES module", "gateway-trace.mjs", 'import { createGateway } from "warmline-gateway";'],
    ["CommonJS", "gateway-trace.cjs", 'const { createGateway } = require("warmline-gateway");'],
  ])("a stack trace from %s names the source with --enable-source-maps", async (_what, file, line) => {
    writeFileSync(
      join(folder, file),
      `${line} (async () => createGateway({ port: -1 }))().catch((error) => console.log(error.stack));`,
    );
    const stack = await run("node", ["--enable-source-maps", file], folder);
    expect(sourceLine(stack, join(root, "gateway"))).toMatch(/\bthrow\b|new TypeError\(/);
  });
});

/** Bytes that a package may take on disk. Most are code and declarations; source maps lead to files and lines alone. */
const MAX_UNPACKED = {
  warmline: 740_000,
  "warmline-gateway": 5_000_000,
  "warmline-upstash": 200_000,
  "warmline-adapters": 200_000,
};

const bin = (name: string) => join(root, "node_modules/.bin", name);

async function unpackedSize(tarball: string): Promise<number> {
  const listed = await run("tar", ["-tvzf", tarball], root);
  return listed.split("\n").reduce((sum, line) => sum + Number(line.split(/\s+/)[2] ?? 0), 0);
}

describe.each(["warmline", "warmline-gateway", "warmline-upstash", "warmline-adapters"] as const)(
  "%s",
  (name) => {
    test("the package's unpacked size is within its limit", async () => {
      const unpacked = await unpackedSize(tarballs[name]);
      console.info(`${name}: ${unpacked} bytes unpacked`);
      expect(unpacked).toBeLessThan(MAX_UNPACKED[name]);
    });

    test("publint finds no problem", async () => {
      const output = await run("node", [bin("publint"), "run", tarballs[name], "--strict"], root);
      expect(output).toMatch(/All good!/);
    });

    test("the package's types resolve in every mode", async () => {
      await run("node", [bin("attw"), tarballs[name], "--profile", "node16"], root);
    });
  },
);
