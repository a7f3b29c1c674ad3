import { describe, expect, test } from "vitest";
import type { Measurement } from "../../../bench/src/keepalive/cell.js";
import { chartsOf, tableOf } from "../../../bench/src/keepalive/present.js";
import { checksOf, headlinesOf, summaryOf } from "../../../bench/src/keepalive/summary";

function cell(
  client: string,
  keepAlive: boolean,
  reused: boolean,
  p50: number,
  connections: number,
): Measurement {
  const spread = { median: p50 * 5, min: p50 * 4, max: p50 * 6 };
  return {
    client,
    label: client === "agent" ? "bare agent" : client,
    keepAlive,
    reused,
    instances: 10,
    invocations: 1_000,
    connections,
    init: spread,
    first: spread,
    warm: {
      count: 990,
      min: p50 / 2,
      mean: p50,
      p50,
      p90: p50 * 2,
      p99: p50 * 3,
      max: p50 * 4,
      curve: [
        [0, p50 / 2],
        [50, p50],
        [99, p50 * 3],
      ],
    },
  };
}

const GOOD = [
  cell("warmline", true, true, 1.2, 10),
  cell("warmline", true, false, 1.22, 10),
  cell("warmline", false, true, 2.4, 1_000),
  cell("warmline", false, false, 2.5, 1_000),
  cell("agent", true, true, 1.3, 10),
  cell("agent", true, false, 2.6, 1_000),
  cell("agent", false, true, 2.6, 1_000),
  cell("agent", false, false, 2.6, 1_000),
];

const replaced = (at: number, with_: Measurement): Measurement[] =>
  GOOD.map((each, index) => (index === at ? with_ : each));
const missed = (cells: Measurement[]): string[] =>
  checksOf(cells)
    .filter(({ passed }) => !passed)
    .map(({ expectation }) => expectation);

describe("what must hold", () => {
  test("holds for good numbers", () => {
    expect(missed(GOOD)).toEqual([]);
    expect(checksOf(GOOD)).toHaveLength(5);
  });

  test.each([
    [
      "a second connection of a recreated client",
      1,
      cell("warmline", true, false, 1.22, 11),
      /one connection per instance/,
    ],
    ["a recreated client that is slower", 1, cell("warmline", true, false, 1.27, 10), /within 5 %/],
    ["or faster, which is noise as much", 1, cell("warmline", true, false, 1.13, 10), /within 5 %/],
    ["a bare agent that keeps a connection", 5, cell("agent", true, false, 2.6, 999), /bare agent recreated/],
    [
      "reuse although keep-alive is off",
      3,
      cell("warmline", false, false, 2.5, 10),
      /warmline with keep-alive off/,
    ],
  ])("%s is missed", (_what, at, changed, claim) => {
    const claims = missed(replaced(at, changed));
    expect(claims).toHaveLength(1);
    expect(claims[0]).toMatch(claim);
  });

  test("only the clients that ran are judged", () => {
    expect(checksOf(GOOD.slice(4)).map(({ expectation }) => expectation)).toEqual([
      "the bare agent recreated in the handler opens one connection per invocation",
      "bare agent with keep-alive off opens one connection per invocation",
    ]);
  });
});

test("the finding says the numbers and who loses the connection", () => {
  const text = summaryOf(GOOD, 1, true);
  expect(text).toContain("Over a round trip of 1 ms with TLS");
  expect(text).toContain("from 2.40 ms to 1.20 ms with warmline (2.0 x)");
  expect(text).toContain("warmline (+1.7 %; one connection per instance) keeps it");
  expect(text).toContain("bare agent (+100.0 %; one connection per invocation) loses it");
  expect(text).toContain("takes 6.00 ms with warmline and 6.50 ms with bare agent");
  expect(summaryOf(GOOD, 0, false)).toContain("Over loopback");
  expect(text).toContain("(20 x; here 5.0 x with warmline and 5.0 x with bare agent)");
  expect(text).toContain("comes out; that making anew loses it is true of bare agent alone.");
  expect(headlinesOf(GOOD).map(({ value }) => value)).toEqual(["1.20 ms", "2.40 ms", "6.00 ms", "10"]);
});

test("the finding says where the article's direction does not come out", () => {
  const slow = GOOD.map((cell) =>
    cell.client === "agent" && cell.keepAlive ? { ...cell, warm: { ...cell.warm, p50: 99 } } : cell,
  );
  expect(summaryOf(slow, 1, false)).toContain("does not come out with bare agent;");
  expect(summaryOf(GOOD.slice(0, 4), 1, false)).toMatch(/that making anew loses it does not\.$/);
});

test("the table has a row for each client and scenario", () => {
  const { columns, rows } = tableOf(GOOD);
  expect(rows).toHaveLength(8);
  expect(rows.filter(({ newGroup }) => newGroup)).toHaveLength(2);
  expect(rows[5]!.cells).toEqual([
    "bare agent",
    "on",
    "recreated",
    "13.00",
    "2.60",
    "5.20",
    "7.80",
    "2.17",
    "1000 (1 per invocation)",
  ]);
  expect(columns).toHaveLength(rows[0]!.cells.length);
});

test("the handshake is drawn only where there is a round trip", () => {
  expect(chartsOf(GOOD, 0, false).map(({ kind }) => kind)).toEqual(["curves", "bars", "bars", "bars"]);
  const [spans] = chartsOf(GOOD, 2, true);
  expect(spans).toMatchObject({ kind: "spans", rows: [{ spans: [{ length: 2 }] }, { spans: [{}, {}, {}] }] });
});
