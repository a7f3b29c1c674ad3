import { describe, expect, test } from "vitest";
import { type Behaviour, blackhole, idleReaper, startNetworkProxy } from "warmline-testbed";
import { forEachTest } from "../../support/lifetime.js";
import { pause, type RawClient, rawClient, startCounting } from "./raw.js";

const server = forEachTest(() => startCounting());
const proxy = forEachTest(() => startNetworkProxy({ to: { port: server.port } }));

const client = () => rawClient(proxy.port);

/** Returns a client that has received one response, on a connection with `behaviour`. */
async function afterOne(behaviour: Behaviour): Promise<RawClient> {
  proxy.onConnection(() => behaviour);
  const one = await client();
  one.request();
  await one.until(({ text }) => text.endsWith("answer 1"));
  one.text = "";
  return one;
}

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
