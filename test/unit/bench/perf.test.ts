import { describe, expect, test } from "vitest";
import { buildResponse, parseRequestHead, redisReplies } from "../../../bench/src/perf/server/responses.js";

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
});
