import { describe, expect, test } from "vitest";
import type { Call, CallResult } from "../../../bench/src/faults/calls.js";
import { judge, stored } from "../../../bench/src/faults/judge.js";
import { chartsOf, tableOf } from "../../../bench/src/faults/present.js";
import { checksOf, headlinesOf, summaryOf } from "../../../bench/src/faults/summary.js";
import type { Measurement } from "../../../bench/src/faults/tally.js";

const incr: Call = { command: "incr", key: "n" };
const get: Call = { command: "get", key: "k" };
const set: Call = { command: "set", key: "k", value: "mine" };
const contested: Call = { ...set, overwrittenWith: "theirs" };
const gave = (value: unknown): CallResult => ({ value, ms: 5 });
const threw = (outcome?: string): CallResult => ({
  error: { name: "SomeError", ...(outcome && { outcome }) },
  ms: 5,
});

describe("the judge of a call", () => {
  test.each([
    ["incremented once", incr, gave(1), "1", { ending: "resolved", doubled: 0, wrong: false }],
    ["incremented six times", incr, gave(6), "6", { ending: "resolved", doubled: 5, wrong: false }],
    ["incremented twice and failed", incr, threw(), "2", { ending: "failed", doubled: 1, unknown: false }],
    ["not incremented, and yet a number", incr, gave(1), null, { doubled: 0, wrong: true }],
    ["another command's response to incr", incr, gave(null), "1", { doubled: 0, wrong: true }],
    [
      "may have been incremented",
      incr,
      threw("unknown"),
      "1",
      { ending: "failed", unknown: true, doubled: 0 },
    ],
    ["was not sent", incr, threw("unsent"), null, { ending: "failed", unknown: false, doubled: 0 }],
    ["a read of unknown outcome", get, threw("unknown"), null, { unknown: false }],
    ["its own value", get, gave(stored("k")), stored("k"), { ending: "resolved", wrong: false }],
    ["another key's value", get, gave("other"), stored("k"), { ending: "resolved", wrong: true }],
    ["set", set, gave("OK"), "mine", { wrong: false, doubled: 0 }],
    ["OK, and nothing set", set, gave("OK"), null, { wrong: true }],
    [
      "overwritten by another, as it should be",
      contested,
      gave("OK"),
      "theirs",
      { wrong: false, doubled: 0 },
    ],
    ["another's value undone", contested, gave("OK"), "mine", { wrong: false, doubled: 1 }],
    ["the function timed out", incr, undefined, "2", { ending: "hung", doubled: 1, ms: 6000 }],
  ] as const)("the judge recognizes: %s", (_, call, settled, found, expected) => {
    expect(judge(call, settled, found, 6_000)).toMatchObject(expected);
  });
});

const row = (client: string, fault: string, numbers: Partial<Measurement> = {}): Measurement => ({
  group: "g",
  fault,
  hopeless: false,
  client,
  label: client === "upstash" ? "@upstash/redis" : client,
  calls: 4,
  resolved: 4,
  failed: 0,
  unknown: 0,
  hung: 0,
  wrong: 0,
  doubled: 0,
  longestMs: 12.34,
  ...numbers,
});

const rows = [
  row("warmline", "lost", { resolved: 0, failed: 4, unknown: 4 }),
  row("warmline-once", "lost"),
  row("upstash", "lost", { doubled: 20 }),
  row("warmline", "mute", { resolved: 0, failed: 4, hopeless: true, longestMs: 5_950 }),
  row("warmline-once", "mute", { resolved: 0, failed: 4, hopeless: true, longestMs: 5_950 }),
  row("upstash", "mute", { resolved: 0, hung: 4, hopeless: true, longestMs: 6_000 }),
];

describe("the report of the faults", () => {
  test("the summary names resolved, rejected and hung calls of each client", () => {
    expect(summaryOf(rows)).toBe(
      "With warmline, of 8 calls 0 resolved and 8 rejected (4 of them writes with an unknown outcome); " +
        "no write was applied more than once; no value was wrong; the longest wait for a call that could succeed was 0.0 s. " +
        "With warmline-once, of 8 calls 4 resolved and 4 rejected; no write was applied more than once; " +
        "no value was wrong; the longest wait for a call that could succeed was 0.0 s. " +
        "With @upstash/redis, of 8 calls 4 resolved and 4 hung until the function timed out; " +
        "20 duplicate writes were applied, at worst one write 6 times (lost); " +
        "no value was wrong; the longest wait for a call that could succeed was 0.0 s.",
    );
    expect(headlinesOf(rows).map(({ value }) => value)).toEqual(["0", "0", "20"]);
  });

  test("every check passes for good numbers and fails for bad ones", () => {
    expect(checksOf(rows).map(({ passed }) => passed)).toEqual(Array(7).fill(true));
    const broken = rows.map((each) => ({ ...each, resolved: 3, failed: 0, hung: 1, wrong: 1, doubled: 1 }));
    expect(checksOf(broken).map(({ passed }) => passed)).toEqual(Array(7).fill(false));
  });

  test("the table names a fault once and counts hung calls as failed", () => {
    const { rows: lines, columns } = tableOf(rows);
    expect(lines.map(({ cells }) => cells[0])).toEqual(["lost", "", "", "mute", "", ""]);
    expect(lines.at(-1)?.cells).toEqual(["", "@upstash/redis", "4", "0", "4 (4 hung)", "0", "0", "6000"]);
    expect(columns).toHaveLength(8);
  });

  test("the chart of duplicates appears only if there are any", () => {
    const charts = chartsOf(rows);
    expect(charts.map((chart) => chart.kind === "bars" && chart.groups.length)).toEqual([1, 2]);
    expect(chartsOf(rows.map((each) => ({ ...each, doubled: 0 })))).toHaveLength(1);
  });
});
