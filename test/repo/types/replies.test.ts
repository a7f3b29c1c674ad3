import { expect, test } from "vitest";
import { TextBulk } from "../../../src/protocol/bytes.js";
import { resolveCodec } from "../../../src/protocol/codec.js";
import type { RawReply } from "../../../src/protocol/reply.js";
import { messagesByLine, programOf } from "../../support/type-check.js";
import { allSpecs, samples } from "../../unit/commands/samples/index.js";
import type { Plain } from "../../unit/commands/samples/sample.js";

// What a command returns has the type that its signature states, for each sample of each command.

function raw(plain: Plain): RawReply {
  if (typeof plain === "string") return new TextBulk(plain);
  return Array.isArray(plain) ? plain.map(raw) : plain;
}

/** Returns a value as source text. */
function written(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Float32Array) return `new Float32Array([${value}])`;
  if (value instanceof Float64Array) return `new Float64Array([${value}])`;
  if (value instanceof Uint8Array) return "new Uint8Array()";
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${written(item)}`);
  return `{ ${entries.join(", ")} }`;
}

/** Replies of other types, with the reason. */
const EXCEPTIONS = [
  // An integer that a number would round is text.
  "-9007199254740993",
  // Parts of a reply.
  "redis.arinfo(",
  // The types are those of paths that begin with "$".
  '"d", ".',
  // Servers other than RedisJSON.
  'redis.json.numincrby("d", "$.n", 2))(  3',
];

/** The type of stored values by codec. */
const STORED = { json: "Json", text: "string", bytes: "Uint8Array" };

test.each(["json", "text", "bytes"] as const)("replies are typed: %s", { timeout: 180_000 }, (codec) => {
  const { decode } = resolveCodec(codec);
  const head = [
    'import type { Redis } from "../../src/index.js";',
    "type Json = string | number | boolean | null | Json[] | { [name: string]: Json };",
    `declare const redis: Redis<${STORED[codec]}>;`,
    "declare function given<T>(reply: Promise<T>): (actual: T) => void;",
  ];
  const lines = Object.entries(allSpecs).flatMap(([method, spec]) =>
    (samples[method] ?? []).flatMap(([args, , reply]) => [
      `given(redis.${method}(${args.map(written).join(", ")}))(`,
      `  ${written(spec.reply(raw(reply), decode, args))},`,
      ");",
    ]),
  );
  const found = messagesByLine(programOf([...head, ...lines, "export {};"].join("\n")));
  const messagesAt = (at: number) => found.get(head.length + at);
  // Samples of calls that the compiler refuses, such as members of several types, say nothing of replies.
  const compiled = lines.flatMap((line, at) => (line.startsWith("given(") && !messagesAt(at) ? [at] : []));
  expect(compiled.length).toBeGreaterThan(0.95 * (lines.length / 3));
  const wrong = compiled.filter((at) => messagesAt(at + 1)).map((at) => lines[at]! + lines[at + 1]);
  expect(wrong.filter((line) => !EXCEPTIONS.some((exception) => line.includes(exception)))).toEqual([]);
});
