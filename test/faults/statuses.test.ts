import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { ProtocolError, Redis, RedisError, type RedisOptions } from "warmline";
import { httpResponse, jsonResponse, RawEndpoint, resp2Response } from "../support/endpoint.js";
import { describeEntries } from "../support/entries.js";
import { errorOf } from "../support/error-of.js";
import { listenApart } from "../support/listen-apart.js";

// Responses with a status that shows that the endpoint did not run the command: proxies, redirects, wrong addresses.

const endpoint = RawEndpoint.forEachTest();

const html = { "content-type": "text/html" };

describeEntries((Client) => {
  const client = () => new Client({ url: endpoint.url, token: "secret", retry: false });
  /** The error of a write, in each form of a request. */
  const failures = async (bytes: string): Promise<any[]> => {
    endpoint.answer(bytes);
    const redis = client();
    const settled = await Promise.allSettled([
      redis.incr("alone"),
      redis.pipeline().incr("a").incr("b").exec(),
      redis.multi().incr("a").exec(),
    ]);
    return settled.map((one) => (one as PromiseRejectedResult).reason);
  };

  describe.each([301, 302, 303, 307, 308])("status %i", (status) => {
    test("a redirect is not followed, and the error names its target's origin", async () => {
      const followed: unknown[] = [];
      const target: Server = createServer((request, response) => {
        followed.push(request.headers);
        response.setHeader("content-type", "application/json").end('{"result":1}');
      });
      await listenApart(target);
      const origin = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
      for (const error of await failures(
        httpResponse("", { location: `${origin}/login?session=hidden` }, `${status} Moved`),
      )) {
        expect(error).toBeInstanceOf(ProtocolError);
        expect(error.outcome).toBe("unknown");
        expect(error.message).toContain(
          `status ${status}, a redirect to ${origin}: give the final address as url`,
        );
        expect(error.message).not.toMatch(/login|hidden|secret/);
      }
      expect(followed).toEqual([]);
      target.close();
    });
  });

  test.each<[location: string | undefined, named: () => string]>([
    ["/other?x=1", () => endpoint.url],
    ["//host.test/x", () => "http://host.test"],
    ["http://[", () => "another address"],
    [undefined, () => "another address"],
  ])("a redirect to %s names only an origin", async (location, named) => {
    const headers: Record<string, string> = location === undefined ? {} : { location };
    for (const error of await failures(httpResponse("moved", headers, "302 Found"))) {
      expect(error).toMatchObject({ name: "ProtocolError" });
      expect(error.message).toMatch(new RegExp(`redirect to ${named().replaceAll(/[.[\]]/g, "\\$&")}:`));
    }
  });

  test.each([
    ["403 Forbidden", httpResponse("denied", { "content-type": "text/plain" }, "403 Forbidden")],
    ["404 Not Found", httpResponse("<html>none</html>", html, "404 Not Found")],
    ["405 Method Not Allowed", httpResponse("", {}, "405 Method Not Allowed")],
    ["204 No Content", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["404 with a result", jsonResponse('{"result":1}', {}, "404 Not Found")],
    ["403 with a result in RESP2", resp2Response(":1\r\n", {}, "403 Forbidden")],
    ["302 with a result", jsonResponse('{"result":1}', {}, "302 Found")],
    ["400 with neither", jsonResponse('{"ok":true}', {}, "400 Bad Request")],
  ])("%s is a ProtocolError that names the status", async (what, bytes) => {
    for (const error of await failures(bytes)) {
      expect(error).toBeInstanceOf(ProtocolError);
      expect(error.outcome).toBe("unknown");
      expect(error.message).toContain(`status ${what.slice(0, 3)}`);
      expect(error.message).not.toMatch(/denied|none/);
    }
    expect(endpoint.count("alone")).toBe(1);
  });

  const refusals = ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "413 Content Too Large"];
  test.each(refusals)("%s with an error reply is a RedisError", async (status) => {
    for (const error of await failures(jsonResponse('{"error":"WRONGPASS no"}', {}, status))) {
      expect(error).toBeInstanceOf(RedisError);
      expect(error).toMatchObject({ outcome: "answered", code: "WRONGPASS" });
    }
  });

  test("middleware gets no result of a 404", async () => {
    endpoint.answer(jsonResponse('{"result":1}', {}, "404 Not Found"));
    const redis = client();
    redis.use((request, next) => next(request));
    await expect(redis.incr("n")).rejects.toMatchObject({
      name: "ProtocolError",
      message: expect.stringContaining("status 404"),
    });
    endpoint.answer(jsonResponse('{"error":"ERR no"}', {}, "400 Bad Request"));
    await expect(redis.incr("n")).rejects.toMatchObject({ name: "RedisError" });
  });
});

describe("a Redis that went away behind its gateway", () => {
  const unsent = { "warmline-gateway": "0", "warmline-outcome": "unsent" };
  const lost = { ...unsent, "warmline-outcome": "unknown" };
  /** The first command is lost at Redis, and the others are refused. */
  const goesAway = () => {
    endpoint.onRequest = ({ socket }) => {
      const [status, headers] =
        endpoint.requests.length === 1
          ? (["502 Bad Gateway", lost] as const)
          : (["503 Unavailable", unsent] as const);
      socket.write(jsonResponse('{"error":"Redis could not be reached"}', headers, status));
    };
  };
  const client = (options: RedisOptions = {}) =>
    new Redis({ url: endpoint.url, token: "t", retry: { retries: 2, backoff: () => 1 }, ...options });

  test("a read rejects with ConnectionError, since it can't have changed anything", async () => {
    goesAway();
    const error = await errorOf(client().get("k"));
    expect(error).toMatchObject({ name: "ConnectionError", outcome: "unsent", command: "GET" });
    expect(endpoint.requests.length).toBe(3);
  });

  test("a write that is repeated rejects with UnknownOutcomeError", async () => {
    goesAway();
    const error = await errorOf(client({ writes: "at-least-once" }).incr("k"));
    expect(error).toMatchObject({ name: "UnknownOutcomeError", outcome: "unknown", command: "INCR" });
  });

  test("commands of one request time out with the timeout of the call, and each with its own outcome", async () => {
    const refused =
      '[{"error":"UNSENT Redis could not be reached"},{"error":"UNSENT Redis could not be reached"}]';
    endpoint.onRequest = ({ socket }) => {
      if (endpoint.requests.length === 1) socket.write(jsonResponse(refused, { "warmline-gateway": "0" }));
    };
    const redis = client({ timeout: 600, retry: { retries: 2, backoff: () => 60 } });
    const [read, write] = await Promise.allSettled([redis.get("k"), redis.incr("n")]);
    expect((read as PromiseRejectedResult).reason.message).toBe("GET: no response within 600 ms");
    expect((write as PromiseRejectedResult).reason.message).toBe(
      "INCR: no response within 600 ms; the command was sent and may have been applied",
    );
  });
});
