import { Redis as Reference } from "@upstash/redis";
import { beforeAll, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { jsonResponse, RawEndpoint } from "../../support/endpoint.js";
import { sharedByTests } from "../../support/lifetime.js";
import { samples } from "../../unit/commands/samples/index.js";
import type { Plain } from "../../unit/commands/samples/sample.js";
import { differences } from "./known-differences.js";

// Runs the samples of the methods that both clients have, and compares the commands sent and the values decoded from the
// same response. Every difference is listed, with its reason. A sample that is listed must differ.

interface Shown {
  readonly words: string[] | undefined;
  readonly value: unknown;
}

const endpoint = sharedByTests(() => RawEndpoint.start());
let reply: Plain;
let received: (body: string) => void = () => {};
let clients: { reference: object; warmline: object };

beforeAll(() => {
  endpoint.onRequest = (request) => {
    received(Buffer.from(request.body, "latin1").toString());
    const plain = reply === "OK" || !/^upstash-encoding: base64/im.test(request.head);
    const result = plain ? reply : inBase64(reply);
    request.socket.write(jsonResponse(JSON.stringify({ result })));
  };
  const options = { url: endpoint.url, token: "t", retry: false, enableAutoPipelining: false } as const;
  clients = {
    reference: new Reference({ ...options, enableTelemetry: false }),
    warmline: new Redis({ ...options, responseFormat: "json" }),
  };
});

function inBase64(plain: Plain): Plain {
  if (typeof plain === "string") return Buffer.from(plain).toString("base64");
  return Array.isArray(plain) ? plain.map(inBase64) : plain;
}

type Method = (...args: unknown[]) => Promise<unknown>;

/** Returns a client's method, bound to its object. `path` is `method` or `namespace.method`. */
function methodOf(client: object, path: string): Method | undefined {
  const [method, namespace] = path.split(".").reverse() as [string, string?];
  const owner = (namespace ? Reflect.get(client, namespace) : client) as Record<string, unknown> | undefined;
  return typeof owner?.[method] === "function" ? (owner[method] as Method).bind(owner) : undefined;
}

async function show(client: object, path: string, args: unknown[]): Promise<Shown> {
  let words: unknown[] | undefined;
  received = (body) => {
    words = JSON.parse(body);
  };
  const value = await methodOf(client, path)!(...args).catch((error: Error) => `rejects: ${error.name}`);
  const text = words?.map((word) => (typeof word === "object" ? JSON.stringify(word) : String(word)));
  // Redis reads names and options in either case.
  return { words: text?.map((word) => word.toLowerCase()), value };
}

const reference = new Reference({ url: "http://127.0.0.1", token: "t" });
const shared = Object.entries(samples).filter(([method]) => methodOf(reference, method));

test("the list of shared methods is long enough", () => {
  expect(shared.length).toBeGreaterThan(190);
});

describe.each(shared)("%s", (method, list) => {
  test.each(list)("%j sends %s, %j", async (args, sends, response) => {
    reply = response;
    const theirs = await show(clients.reference, method, args);
    const ours = await show(clients.warmline, method, args);
    if (differences.has(`${sends} -> ${JSON.stringify(response)}`)) expect(ours).not.toEqual(theirs);
    else expect(ours).toEqual(theirs);
  });
});

test("every listed difference belongs to a sample", () => {
  const compared = shared.flatMap(([, list]) =>
    list.map(([, sends, response]) => `${sends} -> ${JSON.stringify(response)}`),
  );
  expect([...differences.keys()].filter((difference) => !compared.includes(difference))).toEqual([]);
});
