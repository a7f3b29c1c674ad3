import { describe, expect, test } from "vitest";
import type { Job, JobResult } from "../../../bench/src/perf/jobs.js";
import {
  buildResponse,
  parseRequestHead,
  readBody,
  redisReplies,
} from "../../../bench/src/perf/server/responses.js";
import { warmUpNotes } from "../../../bench/src/perf/session.js";
import { FULL_WARM_UP, isSteady, warmUp } from "../../../bench/src/perf/warm-up.js";
import { Series } from "../../../bench/src/statistics/series.js";

describe("a warm-up", () => {
  /** Runs a warm-up whose slices take these CPU times per command in us; the last one is repeated. */
  const ended = async (cpu: readonly number[], job: Job = { kind: "concurrent", inFlight: 50, ms: 1 }) => {
    const jobs: Job[] = [];
    const run = async (slice: Job) => {
      const perCommand = cpu[Math.min(jobs.push(slice), cpu.length) - 1]!;
      return { count: 10, cpuUs: 10 * perCommand } as JobResult;
    };
    return { ...(await warmUp(run, job, FULL_WARM_UP)), jobs };
  };

  test("a warm-up ends once two windows of four slices agree", async () => {
    expect(isSteady([9, 9, 9, 9, 9, 9, 9])).toBe(false);
    expect(isSteady([9, 9, 9, 9, 9, 9, 9, 9])).toBe(true);
    expect(isSteady([9, 9, 9, 9, 8, 8, 8, 8])).toBe(false);
    // Garbage collection in one slice does not count.
    expect(isSteady([9, 9, 9, 9, 9, 30, 9, 9])).toBe(true);
    expect(await ended([5])).toMatchObject({ slices: 8, steady: true });
  });

  test("a warm-up goes on while code is still being compiled, up to its limit", async () => {
    const falling = Array.from({ length: 10 }, (_, at) => 100 * 0.9 ** at);
    const { slices, steady } = await ended(falling);
    expect([slices > falling.length, steady]).toEqual([true, true]);
    const never = Array.from({ length: 100 }, (_, at) => 1.1 ** at);
    expect(await ended(never)).toMatchObject({ slices: FULL_WARM_UP.maxSlices, steady: false });
  });

  test("a warm-up runs slices of the job, and jobs without a CPU time of their own as a similar one", async () => {
    const { jobs } = await ended([5]);
    expect(jobs[0]).toEqual({ kind: "concurrent", inFlight: 50, ms: FULL_WARM_UP.sliceMs });
    const slices = async (job: Job) => (await ended([5], job)).jobs[0];
    expect(await slices({ kind: "arrivals", rate: 9, ms: 1 })).toMatchObject({
      kind: "sequential",
      call: "get",
    });
  });

  test("the notes name the cases that never became steady", () => {
    const rows = [0, 1].map((unsteady) => ({ name: `case ${unsteady}`, unsteady: new Series([[unsteady]]) }));
    expect(warmUpNotes(rows, ({ name }) => name).at(-1)).toBe("Not steady after 16 slices: case 1.");
  });
});

describe("fixed replies", () => {
  const response = (head: string, body: unknown) =>
    buildResponse(parseRequestHead(head), JSON.stringify(body)).toString();

  test("fixed replies are RESP2 if requested, else base64 JSON", () => {
    const resp2 = response("POST / HTTP/1.1\r\nupstash-response-format: resp2", ["GET", "text:4"]);
    expect(resp2).toMatch(/^HTTP\/1.1 200 OK\r\n.*vnd.redis.resp2\r\nWarmline-Gateway:/s);
    expect(resp2).toMatch(/Content-Length: 10\r\n.*\r\n\r\n\$4\r\nwarm\r\n$/s);
    const json = response("POST / HTTP/1.1\r\nUpstash-Encoding: base64", ["GET", "text:4"]);
    expect(json).toMatch(/\r\n\r\n\{"result":"d2FybQ=="\}$/);
  });

  test("fixed replies keep a pipeline's order", () => {
    const commands = [
      ["SET", "a", "b"],
      ["INCR", "n"],
      ["GET", "none"],
    ];
    const resp2 = response("POST /pipeline HTTP/1.1\r\nupstash-response-format: resp2", commands);
    expect(resp2).toMatch(/\r\n\r\n\*3\r\n\+OK\r\n:42\r\n\$-1\r\n$/);
    const json = response("POST /pipeline HTTP/1.1", commands);
    expect(json).toMatch(/\r\n\r\n\[\{"result":"OK"\},\{"result":42\},\{"result":null\}\]$/);
  });

  test("fixed replies are those of Redis over TCP, once a command is complete", () => {
    const make = (_: string, reply: () => Buffer) => reply();
    const get = "*2\r\n$3\r\nGET\r\n$6\r\ntext:4\r\n";
    expect(redisReplies(get.slice(0, -4), make)).toMatchObject({ length: 0 });
    const { length, replies } = redisReplies(`${get}*1\r\n$4\r\nPING\r\n*2\r\n`, make);
    expect([length, replies.toString()]).toEqual([get.length + 14, "$4\r\nwarm\r\n+PONG\r\n"]);
  });

  test("a body is read by its length or by its chunks, once it is complete", () => {
    const read = (headers: string, text: string, length = text.length) =>
      readBody(
        Buffer.from(`head${text}`).subarray(0, 4 + length),
        4,
        parseRequestHead(`POST / HTTP/1.1\r\n${headers}`),
      );
    expect(read("content-length: 5", '["a"]next')).toEqual({ body: '["a"]', end: 9 });
    expect(read("content-length: 5", '["a"')).toBeUndefined();
    const chunks = '3\r\n["a\r\n2\r\n"]\r\n0\r\n\r\n';
    for (let length = 0; length < chunks.length; length++) {
      expect(read("transfer-encoding: chunked", chunks, length)).toBeUndefined();
    }
    expect(read("Transfer-Encoding: chunked", `${chunks}POST`)).toEqual({
      body: '["a"]',
      end: 4 + chunks.length,
    });
  });
});
