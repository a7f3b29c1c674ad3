import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createGateway } from "../../../gateway/src/index.js";
import { requestLine } from "../../../src/client/request-log.js";
import { sharedByTests } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";

const root = resolve(import.meta.dirname, "../../..");
const folder = newFolder("debug");
const gateway = sharedByTests(() => createGateway({ engine: "embedded", port: 0, token: "secret-token" }));
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

test.each(["stop", null, 5])("a request that was aborted with the reason %j is not a success", (reason) => {
  expect(requestLine({ command: "GET", serverAddress: "h" }, 1, reason)).toBe(
    'GET {"result":"error","ms":1,"serverAddress":"h"}',
  );
});

/** Runs a program. Returns the lines that it prints on each stream. */
async function run(source: string, NODE_DEBUG?: string): Promise<{ stdout: string[]; stderr: string[] }> {
  const file = join(folder, "program.mjs");
  writeFileSync(file, source);
  const env = { ...process.env, NODE_DEBUG, WARMLINE_URL: gateway.url, WARMLINE_TOKEN: gateway.token };
  const { stdout, stderr } = await promisify(execFile)("node", [file], { env });
  const lines = (text: string) => text.split("\n").filter(Boolean);
  return { stdout: lines(stdout), stderr: lines(stderr) };
}

/** A program whose client has these options, and a second one whose endpoint refuses connections. */
const program = (entry: string, options: string) => `
import { Redis } from ${JSON.stringify(join(root, "dist", entry))};
const redis = Redis.fromEnv(${options});
await redis.set("secret-key", "secret-value");
await Promise.all([redis.get("secret-key"), redis.get("secret-key")]);
await redis.incr("secret-key").catch(() => {});
const lost = new Redis({ ...${options}, url: "http://127.0.0.1:9", token: "t", retry: { retries: 1 } });
await lost.get("secret-key").catch(() => {});
redis.close();
`;

/** Requires one line with this name, whose details have these members. */
function has(lines: string[], name: string, details: object): void {
  const found = lines.filter((line) => line.startsWith(`${name} `));
  const parsed = found.map((line) => JSON.parse(line.slice(name.length + 1)) as object);
  expect(parsed).toContainEqual(expect.objectContaining(details));
}

const ms = expect.any(Number);

/** Requires a line for each request and retry of the program. */
function hasRequests(lines: string[], unsent: string): void {
  const serverAddress = "127.0.0.1";
  has(lines, "SET", { result: "ok", ms, serverAddress });
  has(lines, "PIPELINE GET", { batchSize: 2, result: "ok", ms });
  has(lines, "INCR", { ms });
  has(lines, "retry", { command: "GET", outcome: unsent, retry: 1 });
  has(lines, "GET", { outcome: unsent, ms });
  expect(lines.join("\n")).not.toMatch(/secret|undefined/);
}

describe.each([
  ["NODE_DEBUG=warmline", "{}", "http2,warmline"],
  ["the option debug", "{ debug: true }", undefined],
])("on Node, %s", (_, options, NODE_DEBUG) => {
  test("prints a line on stderr for each request and connection, without arguments", async () => {
    const { stdout, stderr } = await run(program("index.js", options), NODE_DEBUG);
    expect(stdout).toEqual([]);
    const lines = stderr.map((line) => line.replace(/^WARMLINE \d+: /, ""));
    hasRequests(lines, "unsent");
    has(lines, "connection:opened", { origin: gateway.url, ms });
    has(lines, "connection:reused", { origin: gateway.url });
    has(lines, "connection:closed", { reason: "closed-by-client" });
  });
});

test("on fetch, the option debug prints a line on stdout for each request, without arguments", async () => {
  const { stdout, stderr } = await run(program("fetch.js", "{ debug: true }"));
  expect(stderr).toEqual([]);
  hasRequests(
    stdout.map((line) => line.replace(/^warmline: /, "")),
    "unknown",
  );
});

test("a connector with the option debug prints the commands of its client", async () => {
  const { stdout, stderr } = await run(`
import { once } from "node:events";
import { connect } from "node:net";
import { startLoopback } from ${JSON.stringify(join(root, "dist/node-redis.js"))};
const loopback = await startLoopback({ debug: true });
const { socket: address, password } = loopback.options;
const socket = connect(address);
const command = (...args) => "*" + args.length + "\\r\\n" + args.map((arg) => "$" + arg.length + "\\r\\n" + arg + "\\r\\n").join("");
socket.write(command("AUTH", password) + command("SET", "secret-key", "secret-value"));
for (let replies = ""; !replies.endsWith("+OK\\r\\n+OK\\r\\n"); replies += await once(socket, "data"));
console.log("stored");
socket.destroy();
await loopback.close();
`);
  expect(stdout).toEqual(["stored"]);
  const lines = stderr.map((line) => line.replace(/^WARMLINE \d+: /, ""));
  has(lines, "SET", { result: "ok", ms });
  expect(lines.join("\n")).not.toMatch(/secret/);
});

test("requests over a dispatcher of undici are printed too", async () => {
  const { stderr } = await run(`
import { Agent } from "undici";
import { Redis } from ${JSON.stringify(join(root, "dist/index.js"))};
import { undici } from ${JSON.stringify(join(root, "dist/undici.js"))};
const agent = new Agent();
await Redis.fromEnv({ debug: true, transport: undici(agent) }).get("secret-key");
await agent.close();
`);
  has(
    stderr.map((line) => line.replace(/^WARMLINE \d+: /, "")),
    "GET",
    { result: "ok", ms },
  );
});

test.each([
  ["index.js", "{}", undefined],
  ["index.js", "{}", "http2"],
  ["index.js", "{ debug: false }", undefined],
  ["fetch.js", "{}", "warmline"],
  ["fetch.js", "{ debug: false }", undefined],
])("by default nothing is printed: %s, %s, NODE_DEBUG=%s", async (entry, options, NODE_DEBUG) => {
  expect(await run(program(entry, options), NODE_DEBUG)).toEqual({ stdout: [], stderr: [] });
});
