import { spawn } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loseReply } from "warmline-testbed";
import { Backend, Route } from "../faults/support/rig.js";
import { binary, folder } from "./support/suite.js";

// Other runtimes that take the entry for Node. Deno's own fetch would send a request again by itself.

const PROGRAM = `
import { Redis } from "warmline";
const redis = new Redis({ url: process.env.URL, token: process.env.TOKEN, codec: "text" });
const told = (call) => call.then((value) => ({ value }), ({ name, outcome }) => ({ name, outcome }));
const key = process.env.KEY;
const results = [];
for (let i = 0; i < 3; i++) results.push(await told(redis.incr(key)), await told(redis.get(key)));
console.log(JSON.stringify(results));
redis.close();
`;

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
  test.each(["close", "reset"] as const)("a lost reply applies a write once: %s", async (leave) => {
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
    const child = spawn(binary(`.bin/${name}`), args, {
      cwd: folder,
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
  });
});
