import { describe, expect } from "vitest";
import { carries, httpResponse, idleReaper, loseReply, type NetworkProxy, onRequest } from "warmline-testbed";
import { frozen, pause, routeTests } from "./support/rig.js";

// The platform freezes a function between invocations, or in the middle of one. Its requests go through a network proxy
// and the real gateway to a fake Redis, which counts the commands that it applied.

const routeTest = routeTests();

type Happening = (path: NetworkProxy) => void;
const closed: Happening = ({ connections }) => {
  for (const connection of connections) connection.close();
};
const reset: Happening = ({ connections }) => {
  for (const connection of connections) connection.resetClient();
};
const extraResponse: Happening = ({ connections }) => {
  const headers = { "Content-Type": "application/vnd.redis.resp2", "Warmline-Gateway": "0" };
  for (const connection of connections) connection.toClient(httpResponse(200, ":99\r\n", headers));
};
const timedOut: Happening = ({ connections }) => {
  for (const connection of connections) {
    connection.toClient(httpResponse(408, "", { Connection: "close" }));
    connection.close();
  }
};
const forgotten: Happening = (path) => path.blackholeAll();
const forgottenByServer: Happening = ({ connections }) => {
  for (const connection of connections) connection.dropFlow("reset");
};
const nothing: Happening = () => {};

describe.concurrent("frozen between invocations, with the next one waiting when it thaws", () => {
  routeTest.for([
    ["the server closes the connection", closed],
    ["the connection is reset", reset],
    ["the server says 408 and closes", timedOut],
    ["an extra response arrives", extraResponse],
    ["the path forgets the flow", forgotten],
    ["the server forgets the connection and answers with a reset", forgottenByServer],
  ] as const)("GET resolves and INCR is applied once: %s", async ([, happening], { route }) => {
    const instance = await route.startFunction();
    await instance.run(["SET", route.key, "41"]);
    await frozen(instance, 1_200, () => happening(route.path));
    const read = instance.run(["GET", route.key]);
    await instance.thaw();
    const [got] = await read;
    expect(got).toMatchObject({ value: "41" });
    await frozen(instance, 1_200, () => happening(route.path));
    const write = instance.run(["INCR", route.key]);
    await instance.thaw();
    const [incremented] = await write;
    expect(incremented).toMatchObject({ value: 42 });
    expect(route.applied("INCR")).toBe(1);
    // A fresh connection after a wait of at most 500 ms; the rest is margin for a busy machine.
    expect(Math.max(got!.ms, incremented!.ms)).toBeLessThan(1_500);
    expect(route.path.connectionsOpened).toBeGreaterThanOrEqual(3);
  });

  routeTest("a close during a freeze of less than a second loses no command", async ({ route }) => {
    const instance = await route.startFunction();
    for (let i = 1; i <= 5; i++) {
      await instance.run(["GET", route.key]);
      await frozen(instance, 100, () => closed(route.path));
      const done = instance.run(["INCR", route.key]);
      await instance.thaw();
      expect(await done).toMatchObject([{ value: i }]);
    }
    expect(route.applied("INCR")).toBe(5);
  });

  routeTest("a connection within the server's idle limit is used again", async ({ route }) => {
    const instance = await route.startFunction();
    for (let i = 1; i <= 3; i++) {
      expect(await instance.run(["INCR", route.key])).toMatchObject([{ value: i }]);
      await frozen(instance, i * 600);
      await instance.thaw();
    }
    expect(await instance.run(["GET", route.key])).toMatchObject([{ value: "3" }]);
    // Without reuse, each of the four calls would open one. On a busy machine a late response may cost one.
    expect(route.path.connectionsOpened).toBeLessThan(4);
  });
});

describe.concurrent("frozen between invocations, with ready() at the beginning of the next one", () => {
  routeTest.for([
    ["the connection works", nothing, 0],
    ["the connection works, and the write comes later", nothing, 100],
    ["the connection is reset", reset, 0],
    ["the path forgets the flow", forgotten, 0],
    ["the path forgets the flow, and the write comes later", forgotten, 1_200],
  ] as const)("INCR is applied once: %s", async ([, happening, hold], { route }) => {
    const instance = await route.startFunction();
    await instance.run(["INCR", route.key]);
    for (let i = 2; i <= 3; i++) {
      await frozen(instance, 1_200, () => happening(route.path));
      const steps = hold > 0 ? ([{ open: true }, { hold }] as const) : ([{ open: true }] as const);
      const write = instance.run(...steps, ["INCR", route.key]);
      await instance.thaw();
      expect(await write).toMatchObject([{ value: i }]);
    }
    expect(route.applied("INCR")).toBe(3);
  });

  routeTest("INCR is applied once if the response to the PING of ready() is lost", async ({ route }) => {
    const instance = await route.startFunction();
    await instance.run(["INCR", route.key]);
    route.path.onConnection(() => onRequest(carries("PING"), loseReply({ leave: "silent" })));
    await frozen(instance, 1_200, () => forgotten(route.path));
    const write = instance.run({ open: true }, ["INCR", route.key]);
    await instance.thaw();
    expect(await write).toMatchObject([{ value: 2 }]);
    expect(route.applied("INCR")).toBe(2);
  });
});

describe.concurrent("frozen in the middle of a callback, with an idle connection and another command to come", () => {
  routeTest.for([
    ["closed", closed],
    ["reset", reset],
    ["with an extra response", extraResponse],
  ] as const)("a connection %s gets no command", async ([, happening], { route }) => {
    const instance = await route.startFunction({ preconnect: false });
    for (let i = 1; i <= 3; i++) {
      const idle = new Promise<void>((resolve) => {
        route.path.onConnection(() => ({ responded: () => resolve() }));
      });
      // Too short for the connection to be suspect: only a poll detects that it is closed.
      const done = instance.run(["GET", route.key], { hold: 800 }, ["INCR", route.key]);
      await idle;
      await pause(50);
      await frozen(instance, 50, () => happening(route.path));
      await instance.thaw();
      expect((await done)[1]).toMatchObject({ value: i });
      // The next round begins on a new connection.
      await frozen(instance, 10, () => closed(route.path));
      await instance.thaw();
    }
    expect(route.applied("INCR")).toBe(3);
  });
});

describe.concurrent("frozen right after the handshake, before the first command", () => {
  routeTest.for([
    ["closed", closed],
    ["reset", reset],
    ["forgotten", forgotten],
    ["still open", nothing],
  ] as const)("a connection %s is replaced if necessary", async ([state, happening], { route }) => {
    const instance = await route.startFunction({}, { AWAIT_READY: "1" });
    expect(route.path.connectionsOpened).toBe(1);
    await frozen(instance, 1_200, () => happening(route.path));
    const done = instance.run(["INCR", route.key], ["GET", route.key]);
    await instance.thaw();
    expect(await done).toMatchObject([{ value: 1 }, { value: "1" }]);
    expect(route.applied("INCR")).toBe(1);
    // An open one is replaced only if it responds late, as on a busy machine.
    if (state !== "still open") expect(route.path.connectionsOpened).toBeGreaterThan(1);
  });
});

describe.concurrent("frozen while connecting, with the connection established meanwhile", () => {
  routeTest.for([
    ["closed", closed],
    ["forgotten", forgotten],
    ["open", nothing],
  ] as const)("a connection %s at the thaw loses no command", async ([, happening], { route }) => {
    const instance = await route.startFunction({ preconnect: false });
    const accepted = new Promise<void>((resolve) => {
      route.path.onConnection(() => ({ opened: () => resolve() }));
    });
    const done = instance.run({ open: true }, { hold: 1_000 }, ["INCR", route.key], ["GET", route.key]);
    await accepted;
    await frozen(instance, 1_200, () => happening(route.path));
    await instance.thaw();
    const results = await done;
    expect(results).toMatchObject([{ value: 1 }, { value: "1" }]);
    expect(Math.max(...results.map((result) => result.ms))).toBeLessThan(1_500);
    expect(route.applied("INCR")).toBe(1);
  });
});

describe.concurrent("a server that ends idle connections, times scaled down", () => {
  routeTest.for([
    ["delivered", 1_400],
    ["delivered", 2_200],
    ["lost", 1_400],
    ["lost", 2_200],
  ] as const)("a close that is %s and a freeze of %i ms lose no command", async ([fin, ms], { route }) => {
    // Closed after 1.2 s without a byte; 0.6 s later nothing is left of the connection.
    route.path.onConnection(() => idleReaper({ closeMs: 1_200, goneMs: 1_800, fin }));
    const first = await route.startFunction();
    expect(await first.run(["INCR", route.key])).toMatchObject([{ value: 1 }]);
    await frozen(first, ms);
    const done = first.run(["INCR", route.key], ["GET", route.key]);
    await first.thaw();
    const results = await done;
    expect(results).toMatchObject([{ value: 2 }, { value: "2" }]);
    expect(Math.max(...results.map((result) => result.ms))).toBeLessThan(1_500);
    expect(route.path.connectionsOpened).toBeGreaterThanOrEqual(2);
    await first.stop();

    const second = await route.startFunction();
    expect(await second.run(["INCR", route.key])).toMatchObject([{ value: 3 }]);
    expect(route.path.connectionsOpened).toBeGreaterThanOrEqual(3);
    expect(route.applied("INCR")).toBe(3);
  });
});
