import { expect, test } from "vitest";
import { ConnectionError } from "../../../src/errors.js";
import type { Redis } from "../../../src/index.js";
import { pollEntries } from "../../../src/streams/poll.js";

type Read = "entry" | "none" | "lost";

/** Polls a stream whose reads end as given, and returns the pause in ms after each. */
async function pausesAfter(reads: readonly Read[]): Promise<number[]> {
  const pauses: number[] = [];
  const wait = async (ms: number) => void pauses.push(Math.round(ms));
  const stop = new AbortController();
  let last = 1;
  const exec = async () => {
    const read = reads[pauses.length]!;
    if (pauses.length === reads.length - 1) stop.abort();
    if (read === "lost") throw new ConnectionError("The connection was lost.", { outcome: "unsent" });
    if (read === "entry") last++;
    const info = ["last-generated-id", `${last}-0`, "first-entry", ["1-0", []]];
    return [{ result: info }, { result: read === "entry" ? { [`${last}-0`]: { n: "1" } } : {} }];
  };
  const batch = { xinfo: () => batch, xrange: () => batch, exec };
  const redis = { with: () => redis, multi: () => batch } as unknown as Redis;
  const polling = (async () => {
    for await (const _ of pollEntries(redis, "s", "1-0", stop.signal, wait));
  })();
  await expect(polling).rejects.toThrow(/abort/i);
  return pauses;
}

test("pauses between reads grow from 100 ms while there are no entries, and start again after entries", async () => {
  expect(await pausesAfter(["none", "none", "entry", "entry", "none"])).toEqual([150, 225, 100, 100, 150]);
});

test("pauses between reads grow to 2 s while connections are lost", async () => {
  const [first, ...rest] = await pausesAfter(["entry", ...Array<Read>(9).fill("lost")]);
  expect([first, rest[0], rest.at(-1)]).toEqual([100, 150, 2_000]);
});
