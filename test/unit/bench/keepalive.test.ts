import { describe, expect, test } from "vitest";
import type { Measurement } from "../../../bench/src/keepalive/cell.js";
import { chartsOf, tableOf } from "../../../bench/src/keepalive/present.js";
import { checksOf, headlinesOf, summaryOf } from "../../../bench/src/keepalive/summary.js";

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
const failed = (cells: Measurement[]): string[] =>
  checksOf(cells)
    .filter(({ passed }) => !passed)
    .map(({ expectation }) => expectation);

describe("the checks", () => {
  test("all checks pass for good numbers", () => {
    expect(failed(GOOD)).toEqual([]);
    expect(checksOf(GOOD)).toHaveLength(5);
  });

  test.each([
    [
      "a second connection of a recreated client",
      1,
      cell("warmline", true, false, 1.22, 11),
      /one connection per instance/,
    ],
    ["a recreated client that is slower", 1, cell("warmline", true, false, 1.27, 10), /within 5%/],
    [
      "a recreated client that is faster, which is noise as well",
      1,
      cell("warmline", true, false, 1.13, 10),
      /within 5%/,
    ],
    ["a bare agent that keeps a connection", 5, cell("agent", true, false, 2.6, 999), /bare agent recreated/],
    [
      "a reused connection with keep-alive off",
      3,
      cell("warmline", false, false, 2.5, 10),
      /warmline with keep-alive off/,
    ],
  ])("one check fails for %s", (_what, at, changed, expectation) => {
    const expectations = failed(replaced(at, changed));
    expect(expectations).toHaveLength(1);
    expect(expectations[0]).toMatch(expectation);
  });

  test("the checks cover only the clients that ran", () => {
    expect(checksOf(GOOD.slice(4)).map(({ expectation }) => expectation)).toEqual([
      "bare agent recreated in the handler opens one connection per invocation",
      "bare agent with keep-alive off opens one connection per invocation",
    ]);
  });
});

test("the summary names the numbers and the clients that lose the connection", () => {
  const text = summaryOf(GOOD, 1, true);
  expect(text).toContain("Over a round trip of 1 ms with TLS");
  expect(text).toContain("from 2.40 ms to 1.20 ms with warmline (2.0x)");
  expect(text).toContain("warmline (+1.7%; one connection per instance) keeps the connection");
  expect(text).toContain("bare agent (+100.0%; one connection per invocation) loses the connection");
  expect(text).toContain("takes 6.00 ms with warmline and 6.50 ms with bare agent");
  expect(summaryOf(GOOD, 0, false)).toContain("Over loopback");
  expect(text).toContain("5.0x with warmline and 5.0x with bare agent (article: 20x, 43 and 2.2 ms)");
  expect(text).toContain("Reproduced only with bare agent: a recreated client loses the connection.");
  expect(headlinesOf(GOOD).map(({ value }) => value)).toEqual(["1.20 ms", "2.40 ms", "6.00 ms", "10"]);
});

test("the summary names the clients with which the article is not reproduced", () => {
  const slow = GOOD.map((cell) =>
    cell.client === "agent" && cell.keepAlive ? { ...cell, warm: { ...cell.warm, p50: 99 } } : cell,
  );
  expect(summaryOf(slow, 1, false)).toContain("Not reproduced with bare agent: a kept connection is faster");
  expect(summaryOf(GOOD.slice(0, 4), 1, false)).toMatch(
    /Not reproduced: no recreated client loses the connection\.$/,
  );
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

test("the handshake chart appears only with a round-trip time", () => {
  expect(chartsOf(GOOD, 0, false).map(({ kind }) => kind)).toEqual(["curves", "bars", "bars", "bars"]);
  const [spans] = chartsOf(GOOD, 2, true);
  expect(spans).toMatchObject({ kind: "spans", rows: [{ spans: [{ length: 2 }] }, { spans: [{}, {}, {}] }] });
});
