import { describe, expect, test } from "vitest";
import { TextBulk } from "../../../src/protocol/bytes.js";
import { resolveCodec } from "../../../src/protocol/codec.js";
import type { RawReply } from "../../../src/protocol/reply.js";
import { allSpecs, moduleSamples, moduleSpecs, samples } from "./samples/index.js";
import type { Plain } from "./samples/sample.js";

const { decode } = resolveCodec("json");

function raw(plain: Plain): RawReply {
  if (typeof plain === "string") return new TextBulk(plain);
  return Array.isArray(plain) ? plain.map(raw) : plain;
}

function shown(word: unknown): string {
  return typeof word === "object" && word?.constructor === Object ? JSON.stringify(word) : String(word);
}

test("every method has a sample", () => {
  expect(Object.keys(samples).sort()).toEqual(Object.keys(allSpecs).sort());
  expect(Object.keys(moduleSamples).sort()).toEqual(Object.keys(moduleSpecs).sort());
});

const everySample = { ...samples, ...moduleSamples };

describe.each(Object.entries({ ...allSpecs, ...moduleSpecs }))("%s", (method, spec) => {
  test.each(everySample[method] ?? [])("%j sends %s", (args, sends) => {
    const words = spec.encodeArgs((value) => `<${JSON.stringify(value)}>`, [...args]);
    expect([spec.name, ...words].map(shown).join(" ")).toBe(sends);
  });

  test.each(everySample[method] ?? [])("the reply to %j, %s, %j", (args, _sends, reply, gives = reply) => {
    expect(spec.reply(raw(reply), decode, args)).toStrictEqual(gives);
  });
});
