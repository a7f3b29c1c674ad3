import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type Behaviour,
  blackhole,
  closeBeforeReply,
  cutReply,
  extraBytes,
  idleReaper,
  loseReply,
  type NetworkProxy,
  onRequest,
  proxyError,
  reset,
  rewrite,
  startNetworkProxy,
} from "warmline-testbed";
import { type Counting, pause, type RawClient, rawClient, startCounting } from "./raw.js";

let server: Counting;
let proxy: NetworkProxy;
const clients: RawClient[] = [];

async function client(): Promise<RawClient> {
  const made = await rawClient(proxy.port);
  clients.push(made);
  return made;
}

/** Returns a client that has received one response, on a connection with `behaviour`. */
async function afterOne(behaviour: Behaviour): Promise<RawClient> {
  proxy.onConnection(() => behaviour);
  const one = await client();
  one.request();
  await one.until(({ text }) => text.endsWith("answer 1"));
  one.text = "";
  return one;
}

beforeEach(async () => {
  server = await startCounting();
  proxy = await startNetworkProxy({ to: { port: server.port } });
});

afterEach(async () => {
  for (const each of clients.splice(0)) each.socket.destroy();
  await proxy.close();
  await server.close();
});

describe("loseReply applies the request and loses the response", () => {
  test.each([
    ["close", "ended"],
    ["reset", "ECONNRESET"],
    ["silent", "open"],
  ] as const)("loseReply leaves the connection: %s", async (leave, state) => {
    const one = await afterOne(onRequest(2, loseReply({ leave })));
    one.request();
    if (leave === "silent") {
      await expect.poll(() => server.applied).toBe(2);
      one.request();
      await pause(50);
    } else await one.until((now) => now.state === state);
    expect(one.state).toBe(state);
    expect(one.text).toBe("");
    expect(server.applied).toBe(2);
  });
});

describe("closeBeforeReply", () => {
  test("closeBeforeReply withholds the request, which is never applied", async () => {
    const one = await afterOne(onRequest(2, closeBeforeReply({ deliver: false, leave: "reset" })));
    one.request();
    await one.until(({ state }) => state === "ECONNRESET");
    await pause(30);
    expect(server.applied).toBe(1);
  });
});

describe("cutReply ends the response", () => {
  test.each([
    [9, "close", /^ended$/],
    // A reset that comes in the same poll as bytes is an ordinary end to libuv.
    [9, "reset", /^ended$|^ECONNRESET$/],
    [100, "silent", /^open$/],
  ] as const)(
    "cutReply ends the response after %d bytes and leaves the connection: %s",
    async (bytes, leave, state) => {
      const one = await afterOne(onRequest(2, cutReply({ bytes, leave })));
      one.request();
      await one.until((now) => state.test(now.state) && now.text.length === bytes);
      await pause(20);
      expect(one.text).toHaveLength(bytes);
      expect(one.text.startsWith("HTTP/1.1 ")).toBe(true);
      expect(server.applied).toBe(2);
    },
  );
});

describe("reset", () => {
  test.each([true, false])(
    "reset resets the connection when the request is complete, delivered: %s",
    async (deliver) => {
      const one = await afterOne(reset({ request: 2, deliver }));
      one.request();
      await one.until(({ state }) => state === "ECONNRESET");
      await pause(20);
      // Delivered means sent on: the server may or may not have got to it before its side was dropped too.
      if (!deliver) expect(server.applied).toBe(1);
    },
  );
});

describe("blackhole drops all bytes and keeps both sides open", () => {
  test("blackhole after a response drops the server's FIN too", async () => {
    const one = await afterOne(blackhole({ responded: 1 }));
    one.request();
    server.closeConnections();
    await pause(50);
    expect([one.state, one.text, server.applied]).toEqual(["open", "", 1]);
  });

  test("blackholeAll() drops all bytes, while new connections work", async () => {
    const one = await client();
    one.request();
    await one.until(({ text }) => text.endsWith("answer 1"));
    proxy.blackholeAll();
    one.request();
    const two = await client();
    two.request();
    await two.until(({ text }) => text.endsWith("answer 2"));
    expect(one.text).toMatch(/answer 1$/);
    expect(one.state).toBe("open");
  });
});

describe("extraBytes sends bytes after a response", () => {
  test("extraBytes sends bytes later, on the idle connection, which stays open", async () => {
    const one = await afterOne(
      onRequest(1, extraBytes("HTTP/1.1 408 Request Timeout\r\n\r\n", { delayMs: 30 })),
    );
    expect(one.text).toBe("");
    await one.until(({ text }) => text.startsWith("HTTP/1.1 408"));
    expect(one.state).toBe("open");
  });
});

describe("rewrite sends another response instead of the server's", () => {
  test.each([502, 503, 504] as const)(
    "rewrite sends a proxy's %d after the request was applied",
    async (status) => {
      const one = await afterOne(onRequest(2, rewrite(proxyError(status, { "Retry-After": "1" }))));
      one.request();
      await one.until(({ text }) => text.endsWith("</html>"));
      expect(one.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(one.text).toContain("Retry-After: 1");
      expect(server.applied).toBe(2);
      one.text = "";
      one.request();
      await one.until(({ text }) => text.endsWith("answer 3"));
    },
  );

  test("rewrite responds without the server receiving the request", async () => {
    const one = await afterOne(onRequest(2, rewrite(proxyError(503), { deliver: false })));
    one.request();
    await one.until(({ text }) => text.startsWith("HTTP/1.1 503"));
    one.text = "";
    one.request();
    await one.until(({ text }) => text.endsWith("answer 2"));
  });
});

describe("idleReaper", () => {
  test("idleReaper closes an idle connection, not one in use", async () => {
    const one = await afterOne(idleReaper({ closeMs: 1_000 }));
    for (let n = 2; n <= 5; n++) {
      await pause(200);
      one.request();
      await one.until(({ text }) => text.endsWith(`answer ${n}`));
    }
    expect(one.state).toBe("open");
    const begin = performance.now();
    await one.until(({ state }) => state === "ended");
    expect(performance.now() - begin).toBeGreaterThan(900);
  });

  test("idleReaper with a lost FIN resets later bytes, and then ignores them", async () => {
    proxy.onConnection(() => idleReaper({ closeMs: 200, goneMs: 1_000, fin: "lost" }));
    const [early, late] = [await client(), await client()];
    early.request();
    late.request();
    await late.until(({ text }) => text.includes("answer"));
    await pause(300);
    expect(early.state).toBe("open");
    early.request();
    await early.until(({ state }) => state === "ECONNRESET");
    await pause(900);
    late.text = "";
    late.request();
    await pause(50);
    expect([late.state, late.text]).toEqual(["open", ""]);
    expect(server.applied).toBe(2);
  });
});

test("the raw protocol treats every chunk as an exchange", async () => {
  const raw = await startNetworkProxy({ to: { port: server.port }, protocol: "raw" });
  raw.onConnection(() => onRequest(2, loseReply()));
  const one = await rawClient(raw.port);
  clients.push(one);
  one.request();
  await one.until(({ text }) => text.endsWith("answer 1"));
  one.request();
  await one.until(({ state }) => state === "ended");
  expect(server.applied).toBe(2);
  await raw.close();
});
