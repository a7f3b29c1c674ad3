import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { carries, type Fault, httpResponse, idleReaper, loseReply, rewrite } from "warmline-testbed";
import { Backend, Route } from "../faults/support/rig.js";
import { forEachTest, sharedByTests } from "../support/lifetime.js";
import { binary, folder } from "./support/suite.js";

// Deno's own fetch sends a request again by itself when the response is lost, and Node's when its status is 421.

const PROGRAM = `
import { Redis } from "warmline";
const redis = new Redis({ url: process.env.URL, token: process.env.TOKEN, codec: "text" });
const settled = (call) => call.then((value) => ({ value }), ({ name, outcome }) => ({ name, outcome }));
const key = process.env.KEY;
const results = [];
for (let i = 0; i < 3; i++) results.push(await settled(redis.incr(key)), await settled(redis.get(key)));
console.log(JSON.stringify(results));
redis.close();
`;

const backend = sharedByTests(() => Backend.start());
const route = forEachTest(() => Route.open(backend));

/** Runs a program to its end, and returns what it prints. */
async function run(command: string, args: readonly string[]): Promise<unknown> {
  const child = spawn(command, args, {
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
  return JSON.parse(output);
}

describe.each([
  ["deno", ["eval", PROGRAM]],
  ["bun", ["--eval", PROGRAM]],
] as const)("%s", (name, args) => {
  test.each(["close", "reset"] as const)("a lost reply applies a write once: %s", async (leave) => {
    // The first response to each command is lost, and its connection with it.
    const lost = new Set<string>();
    route.path.onConnection(() => ({
      exchange: ({ request }) => {
        const command = /"(INCR|GET)"/.exec(request.toString())?.[1];
        if (!command || lost.has(command)) return undefined;
        lost.add(command);
        return loseReply({ leave });
      },
    }));
    expect(await run(binary(`.bin/${name}`), args)).toEqual([
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

const ON_FETCH = `
import { Redis } from "warmline/fetch";
const redis = new Redis({ url: process.env.URL, token: process.env.TOKEN, codec: "text" });
const settled = (call) => call.then((value) => ({ value }), ({ outcome }) => ({ outcome }));
const key = process.env.KEY;
const results = [];
for (const name of ["get", "incr", "incr", "get"]) results.push(await settled(redis[name](key)));
// The server closes idle connections meanwhile.
await new Promise((resolve) => setTimeout(resolve, 1_500));
results.push(await settled(redis.incr(key)));
console.log(JSON.stringify(results));
`;

describe.each([
  ["deno", binary(".bin/deno"), ["eval", ON_FETCH]],
  ["bun", binary(".bin/bun"), ["--eval", ON_FETCH]],
  ...[20, 22, 24, 26].map(
    (version) =>
      [
        `node ${version}`,
        binary(`node${version}/bin/node`),
        ["--input-type=module", "--eval", ON_FETCH],
      ] as const,
  ),
] as const)("%s with warmline/fetch", (name, command, args) => {
  test.each<[string, Fault]>([
    ["the connection is closed", loseReply()],
    ["the connection is reset", loseReply({ leave: "reset" })],
    ["its status becomes 421", rewrite(httpResponse(421))],
  ])("a reply lost on a warm connection applies a write once: %s", async (_what, fault) => {
    let lost = false;
    route.path.onConnection(() => ({
      ...idleReaper({ closeMs: 1_000 }),
      exchange(exchange) {
        if (lost || !carries('"INCR"')(exchange)) return undefined;
        lost = true;
        return fault;
      },
    }));
    const results = await run(command, args);
    expect(results).toEqual([
      { value: null },
      { outcome: "unknown" },
      { value: 2 },
      { value: "2" },
      { value: 3 },
    ]);
    expect(route.applied("INCR")).toBe(3);
    // One connection is lost and one is closed while idle. Sending a write as a Blob, as on Deno, must not close any.
    if (name === "deno") expect(route.path.connectionsOpened).toBeLessThanOrEqual(3);
  });
});
