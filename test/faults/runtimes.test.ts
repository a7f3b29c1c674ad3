import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loseReply } from "warmline-testbed";
import { Backend, Route } from "./support/rig.js";

// Other runtimes that take the entry for Node. Deno's own fetch would send a request again by itself.

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const PROGRAM = `
import { Redis } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
const redis = new Redis({ url: process.env.URL, token: process.env.TOKEN, codec: "text" });
const told = (call) => call.then((value) => ({ value }), ({ name, outcome }) => ({ name, outcome }));
const key = process.env.KEY;
const results = [];
for (let i = 0; i < 3; i++) results.push(await told(redis.incr(key)), await told(redis.get(key)));
console.log(JSON.stringify(results));
redis.close();
`;

/** Whether the runtime's package has its binary for this machine; where REQUIRE_RUNTIMES=1 it must. */
function runs(name: string): boolean {
  const works = spawnSync(inRoot(`node_modules/.bin/${name}`), ["--version"]).status === 0;
  if (!works && process.env.REQUIRE_RUNTIMES === "1")
    throw new Error(`REQUIRE_RUNTIMES=1, but ${name} does not run.`);
  if (!works) process.stderr.write(`Skipped: ${name} does not run on this machine.\n`);
  return works;
}

let backend: Backend;
let route: Route;
beforeEach(async () => {
  backend = await Backend.start();
  route = await Route.open(backend);
});
afterEach(async () => {
  await route.close();
  await backend.stop();
});

describe.each([
  ["deno", ["eval", PROGRAM]],
  ["bun", ["--eval", PROGRAM]],
] as const)("%s", (name, args) => {
  test.skipIf(!runs(name)).each(["close", "reset"] as const)(
    "a lost reply applies a write once: %s",
    async (leave) => {
      // The first answer to each command is lost; each comes on a connection of its own then.
      const lost = new Set<string>();
      route.path.onConnection(() => ({
        exchange: ({ request }) => {
          const command = /"(INCR|GET)"/.exec(request.toString())?.[1];
          if (!command || lost.has(command)) return undefined;
          lost.add(command);
          return loseReply({ leave });
        },
      }));
      const child = spawn(inRoot(`node_modules/.bin/${name}`), args, {
        env: { ...process.env, URL: route.path.url, TOKEN: backend.gateway.token, KEY: route.key },
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
      const code = await new Promise((resolve) => child.on("close", resolve));
      expect(code).toBe(0);
      expect(JSON.parse(output)).toEqual([
        { name: "UnknownOutcomeError", outcome: "unknown" },
        { value: "1" },
        { value: 2 },
        { value: "2" },
        { value: 3 },
        { value: "3" },
      ]);
      expect(route.applied("INCR")).toBe(3);
      expect(route.applied("GET")).toBe(4);
    },
  );
});
