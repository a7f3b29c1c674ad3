import { Redis as Reference } from "@upstash/redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { httpResponse, RawEndpoint } from "../../support/endpoint.js";
import { isFullRun } from "../../support/random-tests.js";
import { samples } from "../../unit/commands/samples/index.js";
import type { Plain } from "../../unit/commands/samples/sample.js";
import { differences } from "./known-differences.js";

// Every sample of every method that both clients have: the arguments that each sends, and the value that each decodes
// from one response. Each difference is listed, with its reason, and each listed one does differ.

interface Shown {
  readonly words: string[] | undefined;
  readonly value: unknown;
}

let endpoint: RawEndpoint;
let reply: Plain;
let received: (body: string) => void = () => {};
let clients: { reference: object; own: object };

beforeAll(async () => {
  endpoint = await RawEndpoint.start();
  endpoint.onRequest = (request) => {
    received(Buffer.from(request.body, "latin1").toString());
    const plain = reply === "OK" || !/^upstash-encoding: base64/im.test(request.head);
    const result = plain ? reply : inBase64(reply);
    request.socket.write(httpResponse(JSON.stringify({ result }), { "content-type": "application/json" }));
  };
  const options = { url: endpoint.url, token: "t", retry: false, enableAutoPipelining: false } as const;
  clients = {
    reference: new Reference({ ...options, enableTelemetry: false }),
    own: new Redis({ ...options, responseFormat: "json" }),
  };
});
afterAll(() => endpoint.stop());

function inBase64(plain: Plain): Plain {
  if (typeof plain === "string") return Buffer.from(plain).toString("base64");
  return Array.isArray(plain) ? plain.map(inBase64) : plain;
}

type Method = (...args: unknown[]) => Promise<unknown>;

/** A method by its name, or `namespace.method`, called on what it belongs to. */
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
  test.each(list)("%j sends %s, %j", async (args, sends, given) => {
    reply = given;
    const theirs = await show(clients.reference, method, args);
    const ours = await show(clients.own, method, args);
    if (differences.has(`${sends} -> ${JSON.stringify(given)}`)) expect(ours).not.toEqual(theirs);
    else expect(ours).toEqual(theirs);
  });
});

/** Values that replace one argument of a sample after the other. */
const shapes: unknown[] = ["text", 7, true, ["a", "b"], ["a", [1, "x"]], [], { a: 1 }];

/** All of them in a full run, else one, another one in each place. */
let turn = 0;
const shapesFor = (at: number) => (isFullRun ? shapes : [shapes[(turn++ + at) % shapes.length]]);

test.each(shared)(
  "an argument of another shape is sent as the reference sends it, or refused: %s",
  async (method, list) => {
    reply = null;
    const unlike: string[] = [];
    for (const [args] of list) {
      const send = async (changed: readonly unknown[]) => ({
        ours: await sentArgs(clients.own, method, structuredClone(changed) as unknown[]),
        theirs: await sentArgs(clients.reference, method, structuredClone(changed) as unknown[]),
      });
      // Samples that differ as they are have their place in the list of differences.
      const sample = await send(args);
      if (String(sample.ours) !== String(sample.theirs)) continue;
      for (let at = 0; at < args.length; at++) {
        for (const shape of shapesFor(at)) {
          const changed = args.with(at, shape);
          const { ours, theirs } = await send(changed);
          const same = ours === undefined || JSON.stringify(ours) === JSON.stringify(theirs);
          if (!same && !isListed(method, ours, theirs)) {
            unlike.push(`${JSON.stringify(changed)}: ${ours} | ${theirs}`);
          }
        }
      }
    }
    expect(unlike).toEqual([]);
  },
);

/** Methods that take lists of keys, fields, members or ids in any place, where the reference sends each list as one. */
const LISTS =
  /^(ardel|armget|bitop|del|exists|geo(hash|pos)|hdel|hget(del|ex)|hmget|mget|pf(count|merge)|s(diff|inter|union)(store)?|scriptExists|touch|unlink|x(ackdel|delex)|zdiffstore)$/;

/** Methods of which the reference sends a text in the place of a list letter by letter, or throws. */
const ONE = /^(clientSetinfo|json\.mget|lmpop|ping|sintercard|smismember|xread(group)?|zmscore)$/;

/** Methods whose reference silently leaves out an argument of another type. */
const DROPPED = /^(bitcount|hrandfield|spop|srandmember|x(rev)?range|zpopm(in|ax))$/;

function isListed(method: string, ours: readonly string[], theirs: readonly string[] = []): boolean {
  if (ONE.test(method)) return true;
  if (DROPPED.test(method)) return theirs.length < ours.length;
  if (!LISTS.test(method)) return false;
  // Some lists are preceded by their length.
  const items = (words: readonly string[]) =>
    words
      .flatMap((word) => (word.startsWith("[") ? [JSON.parse(word)].flat(2) : [word]))
      .filter((word) => !/^\d+$/.test(word));
  return items(ours).join().startsWith(items(theirs).join());
}

/** The arguments of a call, in lower case; undefined if nothing is sent. */
async function sentArgs(client: object, path: string, args: unknown[]): Promise<string[] | undefined> {
  try {
    return (await show(client, path, args)).words;
  } catch {
    return undefined;
  }
}

test("every listed difference belongs to a sample", () => {
  const known = shared.flatMap(([, list]) =>
    list.map(([, sends, given]) => `${sends} -> ${JSON.stringify(given)}`),
  );
  expect([...differences.keys()].filter((difference) => !known.includes(difference))).toEqual([]);
});
