import { expect, test } from "vitest";
import { bf, cf, cms, ft, tdigest, topk, ts } from "../../../src/commands/modules/index.js";
import { SEND, type Target } from "../../../src/commands/modules/target.js";
import type { Immediate } from "../../../src/commands/reply-mode.js";
import { moduleSpecs } from "./samples/index.js";

const target: Target<Immediate> = {
  [SEND]: (spec, args) => Promise.resolve([spec.name, ...spec.encodeArgs(String, args)]),
};

test("every module has a method for each of its specs, and sends commands through its client or batch", async () => {
  for (const [name, module] of Object.entries({ bf, cf, cms, ft, tdigest, topk, ts })) {
    const methods = Object.keys(module(target)).map((method) => `${name}.${method}`);
    expect(methods.sort()).toEqual(
      Object.keys(moduleSpecs)
        .filter((method) => method.startsWith(`${name}.`))
        .sort(),
    );
  }
  expect(await bf(target).add("k", 1)).toEqual(["BF.ADD", "k", "1"]);
  expect(await tdigest(target).trimmedMean("k", 0, 1)).toEqual(["TDIGEST.TRIMMED_MEAN", "k", "0", "1"]);
  const { search } = ft(target);
  expect(await search("i", "*")).toEqual(["FT.SEARCH", "i", "*"]);
});
