import { expect, test } from "vitest";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { call, run } from "./http.js";

let gateway: Gateway;

async function start(options: GatewayOptions = {}): Promise<void> {
  // On a busy machine a command may take longer than the default allows.
  const common = { engine: "embedded", port: 0, commandTimeout: 10_000 } as const;
  gateway = forTest(await createGateway({ ...common, ...options }));
}

/** Opens the stream of commands. Returns the text received so far, and whether the stream has ended. */
async function watch(token = gateway.token) {
  const stop = new AbortController();
  forTest({ close: () => stop.abort() });
  const response = await fetch(`${gateway.url}/console/commands`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  const seen = { text: "", hasEnded: false };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!)
      seen.text += decoder.decode(chunk as Uint8Array, { stream: true });
    seen.hasEnded = true;
  })().catch(() => {});
  return seen;
}

const eventsIn = ({ text }: { readonly text: string }) =>
  [...text.matchAll(/^data: (.+)$/gm)].map(([, json]) => JSON.parse(json!));

test("each command is an event with its name, keys, time and error, without values", async () => {
  await start();
  const seen = await watch();
  await run(gateway, "SET", "line\nbreak", "secret-value");
  await run(gateway, "LPUSH", "line\nbreak", "secret-value");
  await run(gateway, "DEL", "a", "b", "c", "d", "e", "f");
  await call(gateway, "/multi-exec", { body: [["INCR", "n"]] });
  await expect.poll(() => eventsIn(seen)).toHaveLength(4);
  const ms = expect.any(Number);
  const usual = { ms, error: null, transaction: false, moreKeys: 0 };
  expect(eventsIn(seen)).toEqual([
    { ...usual, name: "SET", keys: ["line\nbreak"] },
    { ...usual, name: "LPUSH", keys: ["line\nbreak"], error: "WRONGTYPE" },
    { ...usual, name: "DEL", keys: ["a", "b", "c", "d"], moreKeys: 2 },
    { ...usual, name: "INCR", keys: ["n"], transaction: true },
  ]);
  expect(seen.text).not.toContain("secret-value");
});

test("a closing gateway ends the stream", async () => {
  await start();
  const seen = await watch();
  await gateway.close();
  await expect.poll(() => seen.hasEnded).toBe(true);
});

test("only a token that may run MONITOR opens the stream", async () => {
  await start({
    token: "all",
    console: true,
    tokens: [
      { name: "standard", token: "standard" },
      { name: "admin", token: "admin", role: "admin" },
      { name: "prefixed", token: "prefixed", role: "admin", prefix: "a:" },
    ],
  });
  for (const token of ["standard", "prefixed"]) {
    const { status, json } = await call(gateway, "/console/commands", { token });
    expect([status, json.error]).toEqual([400, expect.stringMatching(/^NOPERM .*'monitor'/)]);
  }
  expect((await call(gateway, "/console/commands", { token: null })).status).toBe(401);
  const seen = await watch("admin");
  await run(gateway, "PING");
  await expect.poll(() => eventsIn(seen)).toMatchObject([{ name: "PING" }]);
});

test("a gateway without the console has no such stream", async () => {
  await start({ console: false });
  const { status, json } = await call(gateway, "/console/commands");
  expect(status).toBe(400);
  expect(json.error).toMatch(/unknown command/);
});

test("the listener of the program and the stream get every command", async () => {
  const names: string[] = [];
  await start({ onCommand: ({ name }) => names.push(name) });
  const seen = await watch();
  await run(gateway, "PING");
  await expect.poll(() => eventsIn(seen)).toMatchObject([{ name: "PING" }]);
  expect(names).toEqual(["PING"]);
});
