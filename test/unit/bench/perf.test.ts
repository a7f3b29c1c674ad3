import { describe, expect, test } from "vitest";
import { pairedRatio, spreadOf } from "../../../bench/src/perf/ratios.js";
import { buildResponse, parseRequestHead } from "../../../bench/src/perf/server/responses.js";
import { amount, isMet, type Target, wanted } from "../../../bench/src/perf/targets/target.js";
import { buildReport } from "../../../bench/src/scenarios/targets.js";

describe("ratios", () => {
  test("ratios are computed per round, so that a slow machine affects both sides", () => {
    // The second round was ten times as slow for both.
    expect(pairedRatio([1, 10, 1], [2, 20, 4])).toEqual({ median: 0.5, low: 0.25, high: 0.5 });
    expect(() => pairedRatio([1], [1, 2])).toThrow("same number of rounds");
    expect(() => pairedRatio([], [])).toThrow("same number of rounds");
  });

  test("ratios have a median and quartiles", () => {
    expect(spreadOf([9, 1, 2, 3, 4, 5, 6, 100])).toEqual({ median: 4.5, low: 3, high: 6 });
    expect(spreadOf([7])).toEqual({ median: 7, low: 7, high: 7 });
  });
});

const target = (bound: Target["bound"], limit: number, median: number): Target => ({
  node: "v20.20.0",
  measure: "cold",
  against: "@upstash/redis",
  bound,
  limit,
  unit: "x",
  measured: { median, low: median, high: median },
  medians: "",
});

describe("targets", () => {
  test.each([
    ["at most", 0.45, 0.45, true],
    ["at most", 0.45, 0.451, false],
    ["at least", 3, 3, true],
    ["at least", 3, 2.9, false],
  ] as const)("a target of %s %d, measured %d, is met: %s", (bound, limit, median, met) => {
    expect(isMet(target(bound, limit, median))).toBe(met);
  });

  test("targets are printed with their bound and baseline", () => {
    expect(wanted(target("at most", 0.45, 1))).toBe("at most 0.45x @upstash/redis");
    const bytes: Target = { ...target("at most", 12_288, 1), unit: "bytes", against: "" };
    expect(wanted(bytes)).toBe("at most 12,288 bytes");
    expect(amount(bytes, 9_000)).toBe("9,000 bytes");
  });

  test("targets that are not met are named in the summary and in their rows", () => {
    const { summary, checks, table } = buildReport([target("at most", 0.45, 0.5), target("at least", 3, 12)]);
    expect(summary).toBe("1 of 2 targets are met. Not met: cold (Node 20.20.0), 0.50x.");
    expect(checks.map(({ passed }) => passed)).toEqual([false, true]);
    expect(table.rows.map(({ cells }) => cells[5])).toEqual(["FAIL", "met"]);
    expect(buildReport([target("at most", 1, 0.5)]).summary).toBe("All 1 targets are met.");
  });

  test("targets that are narrowly missed are printed with enough digits", () => {
    expect(buildReport([target("at most", 1.02, 1.0236)]).checks[0]!.actual).toBe("1.024x");
    expect(buildReport([target("at most", 1.02, 1.02001)]).checks[0]!.actual).toBe("1.02001x");
    expect(buildReport([target("at least", 3, 2.9997)]).checks[0]!.actual).toBe("2.9997x");
    expect(buildReport([target("at most", 1.02, 1.0164)]).checks[0]!.actual).toBe("1.02x");
  });
});

describe("fixed replies", () => {
  const answer = (head: string, body: unknown) =>
    buildResponse(parseRequestHead(head), JSON.stringify(body)).toString();

  test("fixed replies are RESP2 if requested, else base64 JSON", () => {
    const resp2 = answer("POST / HTTP/1.1\r\nupstash-response-format: resp2", ["GET", "text:4"]);
    expect(resp2).toMatch(/^HTTP\/1.1 200 OK\r\n.*vnd.redis.resp2\r\nWarmline-Gateway:/s);
    expect(resp2).toMatch(/Content-Length: 10\r\n.*\r\n\r\n\$4\r\nwarm\r\n$/s);
    const json = answer("POST / HTTP/1.1\r\nUpstash-Encoding: base64", ["GET", "text:4"]);
    expect(json).toMatch(/\r\n\r\n\{"result":"d2FybQ=="\}$/);
  });

  test("fixed replies keep a pipeline's order, and a plain server sends no gateway header", () => {
    const commands = [
      ["SET", "a", "b"],
      ["INCR", "n"],
      ["GET", "none"],
    ];
    const head = "POST /pipeline HTTP/1.1\r\nupstash-response-format: resp2";
    expect(answer(head, commands)).toMatch(/\r\n\r\n\*3\r\n\+OK\r\n:42\r\n\$-1\r\n$/);
    const plain = answer(head.replace("/pipeline", "/plain/pipeline"), commands);
    expect(plain).toMatch(/\r\n\r\n\[\{"result":"OK"\},\{"result":42\},\{"result":null\}\]$/);
    expect(plain).not.toContain("Warmline-Gateway");
  });
});
