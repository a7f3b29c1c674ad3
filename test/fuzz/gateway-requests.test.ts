import { connect } from "node:net";
import { expect, test } from "vitest";
import { startGatewayProcess } from "warmline-testbed";
import { sharedByTests } from "../support/lifetime.js";
import { SEED, scaled } from "../support/random-tests.js";
import { Chance } from "./support/random.js";
import { encode, pieces, spoil, type Wanted } from "./support/requests.js";

// Requests and bodies corrupted at random, sent to a gateway: it stays up, and responds or closes in time. It runs nothing
// without the token. Each names a separate kind of key, so that a few changed bytes cannot turn one into another.

const RUNS = scaled(50_000);
const PER_CONNECTION = 8;
const AT_ONCE = 50;
/** Longer than anything that waits here. */
const HANGS_AFTER = 60_000;
const STRANGERS_KEY = "zzzzzzzzzzzzzzzz";
const OWN_KEY = "aaaaaaaaaaaaaaaa";

const gateway = sharedByTests(() =>
  startGatewayProcess({ args: ["--engine", "embedded", "--max-body-size", "100kb"] }),
);

async function run(...args: string[]): Promise<unknown> {
  const headers = { authorization: `Bearer ${gateway.token}`, connection: "close" };
  const response = await fetch(gateway.url, { method: "POST", headers, body: JSON.stringify(args) });
  return ((await response.json()) as { result: unknown }).result;
}

const resp = (args: readonly string[]) =>
  `*${args.length}\r\n${args.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`;

function makeRequest(chance: Chance, isOwn: boolean): Buffer {
  const key = isOwn ? OWN_KEY : STRANGERS_KEY;
  const args = chance.pick([
    ["INCR", key],
    ["SET", key, "1"],
    ["EVAL", `return redis.call('INCR','${key}')`, "0"],
  ]);
  const json = JSON.stringify(args);
  const path = `/${args.map(encodeURIComponent).join("/")}`;
  const forms: Omit<Wanted, "headers">[] = [
    { method: "POST", target: "/", body: spoil(chance, json, 0.5).toString("latin1") },
    { method: "POST", target: "/pipeline", body: spoil(chance, `[${json},${json}]`, 0.5).toString("latin1") },
    { method: "POST", target: "/multi-exec", body: spoil(chance, `[${json}]`, 0.5).toString("latin1") },
    { method: chance.pick(["GET", "POST", "PUT", "HEAD"]), target: path, body: "" },
    { method: "GET", target: `${path}?_token=wrong`, body: "" },
    { method: chance.pick(["GET", "POST"]), target: `/subscribe/${key}`, body: chance.pick(["", "[]"]) },
    {
      method: "POST",
      target: "/pipeline",
      body: spoil(chance, resp(args) + resp(args), 0.5).toString("latin1"),
    },
    { method: "POST", target: "/", body: "[".repeat(chance.below(5_000)) },
    { method: "GET", target: chance.pick(["/health", "/ready", "/metrics", "/"]), body: "" },
  ];
  const form = chance.pick(forms);
  const strangers = [
    [],
    ["Authorization: Bearer wrong"],
    ["Authorization: Bearer "],
    ["Authorization: Basic dDp0"],
  ];
  const headers = isOwn ? [`Authorization: Bearer ${gateway.token}`] : [...chance.pick(strangers)];
  if (form.body.startsWith("*")) headers.push("Content-Type: application/vnd.redis.resp2");
  if (chance.maybe(0.1))
    headers.push(chance.pick(["Upstash-Encoding: base64", "Upstash-Response-Format: resp2"]));
  return spoil(chance, encode(chance, { ...form, headers }), 0.4);
}

/** Sends it all and waits until the gateway hangs up. What is left waiting for more is ended from here. */
function send(input: readonly Buffer[]): Promise<"closed" | "hangs"> {
  return new Promise((resolve) => {
    const socket = connect(gateway.port, "127.0.0.1");
    const timer = setTimeout(() => {
      resolve("hangs");
      socket.destroy();
    }, HANGS_AFTER);
    socket.on("error", () => {});
    socket.resume();
    socket.on("close", () => {
      clearTimeout(timer);
      resolve("closed");
    });
    for (const piece of input) socket.write(piece);
    socket.end();
  });
}

test(`${RUNS} malformed requests get an error or a close, and the gateway stays up (seed ${SEED})`, {
  timeout: 1_800_000,
}, async () => {
  const chance = new Chance(SEED);
  const connections = Math.ceil(RUNS / PER_CONNECTION);
  for (let done = 0; done < connections; done += AT_ONCE) {
    const inputs = Array.from({ length: AT_ONCE }, () => {
      // Never both on one connection: a head that is cut off continues in the next request.
      const isOwn = chance.maybe(0.5);
      const requests = Array.from({ length: PER_CONNECTION }, () => makeRequest(chance, isOwn));
      return pieces(chance, Buffer.concat(requests));
    });
    const outcomes = await Promise.all(inputs.map(send));
    expect(outcomes, `seed ${SEED}, after ${done} connections`).not.toContain("hangs");
    expect(await run("GET", STRANGERS_KEY), `seed ${SEED}, after ${done} connections`).toBeNull();
  }
  // The others did reach Redis. The value may be any text, since that of a SET may be corrupted too.
  expect(await run("EXISTS", OWN_KEY)).toBe(1);
  await expect.poll(() => gateway.metric('warmline_gateway_connections{state="active"}')).toBe(1);
  expect(gateway.output).not.toMatch(/a request failed with an internal error/);
});
