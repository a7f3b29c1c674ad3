import { describe, expect, test } from "vitest";
import { results } from "../../../scripts/results.js";
import {
  better,
  differences,
  figureOf,
  type Published,
  runsOf,
} from "../../../scripts/results-publications.js";

describe("better", () => {
  test.each([
    ["lower over HTTP in each run", [[-3, -1, -2, -1, -4]], "HTTP"],
    ["lower over TCP in each run", [[0.59, 0.59, 0.45, 0.36, 0.22]], "TCP"],
    ["lower over TCP in four runs of five", [[0.59, 0.59, 0.45, 0.36, -0.01]], "undecided"],
    ["equal", [[0, 0, 0, 0, 0]], "either"],
    [
      "the same way in both publications",
      [
        [1, 2, 3, 2, 1],
        [0.1, 0.2, 0.1, 0.3, 0.1],
      ],
      "TCP",
    ],
    [
      "one way in one publication, undecided in the other",
      [
        [-1, 2, 3, 2, 1],
        [1, 2, 1, 3, 1],
      ],
      "undecided",
    ],
    [
      "one way in one publication, the other way in the other",
      [
        [-1, -2, -3, -2, -1],
        [1, 2, 1, 3, 1],
      ],
      "undecided",
    ],
    [
      "one way in one publication, equal in the other",
      [
        [-1, -2, -3, -2, -1],
        [0, 0, 0, 0, 0],
      ],
      "undecided",
    ],
  ])("%s: %j is %s", (_, publications, verdict) => {
    expect(better(publications)).toBe(verdict);
  });

  test("runs are compared one by one, so that load on all clients of a run decides nothing", () => {
    const [http, tcp] = [[[20.5, 21.1, 20.6, 21.2, 20.9]], [[20.3, 20.9, 20.4, 21.0, 20.7]]];
    // The intervals overlap: 20.5 to 21.2, and 20.3 to 21.0.
    expect(better(differences(http, tcp))).toBe("TCP");
  });
});

test("a figure is that of the last publication, or a marked range if the intervals of both are apart", () => {
  const text = (value: number) => value.toFixed(1);
  expect(
    figureOf(
      [
        [1, 2, 3],
        [2, 3, 3.5],
      ],
      text,
    ),
  ).toBe("2.0 to 3.5");
  expect(
    figureOf(
      [
        [10, 11, 12],
        [12, 13, 14],
      ],
      text,
    ),
  ).toBe("13.0 (12.0 to 14.0)");
  expect(
    figureOf(
      [
        [15, 16, 17],
        [12, 13, 14],
      ],
      text,
    ),
  ).toBe("12.0 to 17.0†");
});

test("the numbers of runs are those of a case in each publication", () => {
  const result = results.get("memory")!;
  const wanted = { label: "warmline", memoryMb: 128, reused: true };
  const [before, after] = runsOf(result, wanted, "start");
  expect([before!.length, after!.length]).toEqual([5, 5]);
  expect(before).not.toEqual(after);
  expect(runsOf({ ...result, earlier: undefined } as Published, wanted, "start")).toEqual([after]);
  expect(() => runsOf(result, { ...wanted, memoryMb: 1 }, "start")).toThrow("memory.json lacks");
});

test("without its mark, a range is the interval of one publication: marked ones are as many as were apart", () => {
  for (const result of results.values()) {
    const tables = [result.table, ...(result.parts ?? []).map(({ table }) => table)];
    const cells = tables.flatMap(({ rows }) => rows.flatMap((row) => row.cells));
    const texts = [...cells, ...result.checks.map(({ actual }) => actual)];
    const { ratios, figures } = result.earlier!;
    expect(texts.filter((each) => each.includes("†"))).toHaveLength(ratios.apart + figures.apart);
  }
});

test("each check with a verdict has it in both publications, or says what the first one has", () => {
  const checks = [...results.values()].flatMap((result) => result.checks);
  const differing = checks.filter((check) => "earlier" in check);
  expect(differing.length).toBeGreaterThan(0);
  for (const { verdict, agreement } of differing)
    expect([verdict, agreement]).toEqual(["undecided", undefined]);
});
