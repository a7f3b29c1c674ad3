import { describe, expect, test } from "vitest";
import {
  buildResponse,
  parseRequestHead,
  readBody,
  redisReplies,
} from "../../../bench/src/perf/server/responses.js";

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

  test("fixed replies keep a pipeline's order, and a plain server sends no gateway header", () => {
    const commands = [
      ["SET", "a", "b"],
      ["INCR", "n"],
      ["GET", "none"],
    ];
    const head = "POST /pipeline HTTP/1.1\r\nupstash-response-format: resp2";
    expect(response(head, commands)).toMatch(/\r\n\r\n\*3\r\n\+OK\r\n:42\r\n\$-1\r\n$/);
    const plain = response(head.replace("/pipeline", "/plain/pipeline"), commands);
    expect(plain).toMatch(/\r\n\r\n\[\{"result":"OK"\},\{"result":42\},\{"result":null\}\]$/);
    expect(plain).not.toContain("Warmline-Gateway");
  });

  test("fixed replies to the key `refused` are errors, in RESP2 and in JSON", () => {
    const body = [["GET", "refused"]];
    const resp2 = response("POST /pipeline HTTP/1.1\r\nupstash-response-format: resp2", body);
    expect(resp2).toMatch(/\r\n\r\n\*1\r\n-WRONGTYPE [\w ]+\r\n$/);
    expect(response("POST /pipeline HTTP/1.1", body)).toMatch(/\r\n\r\n\[\{"error":"WRONGTYPE [\w ]+"\}\]$/);
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
