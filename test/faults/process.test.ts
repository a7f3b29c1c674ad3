import { describe, expect, test } from "vitest";
import { freePorts, type NetworkProxy, startNetworkProxy } from "warmline-testbed";
import { RawEndpoint, resp2Response } from "../support/endpoint.js";
import { type Ended, runProgram } from "./support/program.js";

// A client keeps its process alive for as long as a call waits, and no longer.

/** Tests that get an endpoint of their own, and a path to it. */
const endpointTest = test.extend<{ endpoint: RawEndpoint; path: NetworkProxy }>({
  // biome-ignore lint/correctness/noEmptyPattern: a fixture without dependencies is declared like this
  endpoint: async ({}, use) => {
    const endpoint = await RawEndpoint.start();
    endpoint.answer(resp2Response(":1\r\n"));
    await use(endpoint);
    await endpoint.stop();
  },
  path: async ({ endpoint }, use) => {
    // So long a round trip that the process would end first, if it could.
    const to = { port: Number(new URL(endpoint.url).port) };
    const path = await startNetworkProxy({ to, rttMs: 150, port: (await freePorts(1))[0]! });
    await use(path);
    await path.close();
  },
});

/** Whether the client owns its connections; those of a dispatcher are closed by its owner only. */
const ownConnections = process.env.WARMLINE_CONNECTION !== "undici";

const FORGOTTEN: [string, string] = [
  "after the network has forgotten every connection",
  `const r = create(); await r.incr("forget"); hold(1100); console.log(await r.incr("n"));`,
];

const BEGIN = `
import { Redis } from "warmline";
const transport = process.env.WARMLINE_CONNECTION === "undici" &&
  (await import("warmline/undici")).undici(new (await import("undici")).Agent());
const begun = performance.now();
process.on("exit", () => console.log("ended", Math.round(performance.now() - begun)));
const create = ({ preconnect, circuit, ...options } = {}) =>
  new Redis({ url: process.env.URL, token: "t", ...(transport ? { transport } : { preconnect, circuit }), ...options });
const hold = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
`;
const run = ({ url }: { url: string }, source: string): Promise<Ended> =>
  runProgram(BEGIN + source, { URL: url });
/** From creating the client to the end of the process, in ms. */
const lifetime = ({ output }: Ended): number => Number(/^ended (\d+)$/m.exec(output)?.[1] ?? Number.NaN);

// These mostly wait, so they run side by side.
describe.concurrent("a command with nothing else alive in the process settles", () => {
  endpointTest.for<[string, string]>([
    ["while connecting", `console.log(await create().incr("n"));`],
    ["while pre-opening", `console.log(await create({ preconnect: true }).incr("n"));`],
    [
      "in a batch",
      `const r = create(); await r.strlen("a"); console.log((await Promise.all([r.incr("n"), r.incr("m")])).join());`,
    ],
    ["in a callback alone", `create().incr("n").then(console.log);`],
    ["while probing", `const r = create(); await r.incr("a"); hold(1100); console.log(await r.incr("n"));`],
    ["on an idle connection", `const r = create(); await r.incr("a"); console.log(await r.incr("n"));`],
    ...(ownConnections ? [FORGOTTEN] : []),
  ])("a command settles with nothing else alive: %s", async ([what, source], { endpoint, path }) => {
    endpoint.onRequest = ({ socket, body, connection }) => {
      if (what.includes("forgotten") && connection === 1 && !body.includes("forget")) return;
      socket.write(resp2Response(body.startsWith("[[") ? "*2\r\n:1\r\n:1\r\n" : ":1\r\n"));
    };
    const ended = await run(path, source);
    expect(ended.errors).toBe("");
    expect(ended.output).toMatch(/^1(,1)?\n/);
    expect(ended.code).toBe(0);
    expect(endpoint.requests.filter(({ body }) => body.includes('"n"'))).toHaveLength(1);
  });

  endpointTest("a command between two attempts settles with nothing else alive", async ({ path }) => {
    await path.refuse();
    const source = `
        const backoff = () => (console.log("again"), 300);
        console.log(await create({ retry: { backoff } }).incr("n"));`;
    const ended = await runProgram(BEGIN + source, { URL: path.url }, (child) => {
      // The first attempt has failed.
      child.stdout!.once("data", () => void path.accept());
    });
    expect(ended.output).toMatch(/^(again\n)+1\n/);
  });

  endpointTest("a command without a response rejects with nothing else alive", async ({ endpoint, path }) => {
    endpoint.onRequest = () => {};
    const ended = await run(
      path,
      `await create({ timeout: 400 }).incr("n").catch((error) => console.log(error.name));`,
    );
    expect(ended.output).toMatch(/^TimeoutError\n/);
  });
});

endpointTest("a response in the kernel's buffer wins over a late timer", async ({ endpoint }) => {
  endpoint.onRequest = ({ socket }) => setTimeout(() => socket.write(resp2Response(":1\r\n")), 100);
  const ended = await run(
    endpoint,
    `
    const redis = create({ timeout: 600 });
    await redis.with({ timeout: 10_000 }).strlen("warm");
    const call = redis.incr("n");
    // Written by then; the response arrives while the process neither polls nor runs timers. Then it runs timers first.
    setTimeout(() => setImmediate(() => hold(1000)), 50);
    console.log(await call);
  `,
  );
  expect(ended.errors).toBe("");
  expect(ended.output).toMatch(/^1\n/);
});

/** In ms. Pre-opening takes at most 1 s, the rest is for a busy machine. A connection that held its process would do so for ever. */
const AT_ONCE = 6_000;

describe("a process ends", () => {
  endpointTest.for([
    ["that only created a client", `create({ preconnect: false });`],
    ["whose commands are answered", `const r = create(); await r.incr("n");`],
    [
      "that only started a loopback server",
      `await (await import("warmline/node-redis")).startLoopback({ url: process.env.URL, token: "t" });`,
    ],
    [
      "whose many connections are idle",
      `
      const r = create({ enableAutoPipelining: false });
      await Promise.all(Array.from({ length: 20 }, () => r.incr("n")));`,
    ],
  ])("a process %s ends at once", async ([, source], { path }) => {
    const ended = await run(path, source!);
    expect(ended.errors).toBe("");
    expect(ended.code).toBe(0);
    expect(lifetime(ended)).toBeLessThan(AT_ONCE);
  });

  endpointTest.for<[string, (url: string) => string]>([
    ["opens", (url) => url],
    ["hangs in the TLS handshake", (url) => url.replace("http:", "https:")],
    ["is refused", () => "http://127.0.0.1:1"],
  ])("a process ends within the limit of pre-opening if its connection %s", async ([, urlOf], { path }) => {
    const ended = await run({ url: urlOf(path.url) }, `create({ preconnect: true });`);
    expect(ended).toMatchObject({ code: 0, errors: "" });
    expect(lifetime(ended)).toBeLessThan(AT_ONCE);
  });

  endpointTest("ready() settles within its limit if the connection hangs", async ({ path }) => {
    const url = path.url.replace("http:", "https:");
    const ended = await run({ url }, `await create().ready(); console.log("ready");`);
    expect(ended.output).toMatch(/^ready\n/);
    expect(lifetime(ended)).toBeLessThan(AT_ONCE);
  });
});

describe.concurrent("close()", () => {
  if (ownConnections)
    endpointTest("close() leaves no socket and no timer behind in any state", async ({ endpoint, path }) => {
      endpoint.onRequest = ({ socket, body, number }) => {
        if (body.includes("lost")) socket.destroy();
        else if (!body.includes("silent") && number < 30) socket.write(resp2Response(":1\r\n"));
      };
      const ended = await run(
        path,
        `
    const redis = create({ enableAutoPipelining: false, timeout: 1600 });
    const signal = AbortSignal.timeout(100);
    await redis.ready();
    await Promise.allSettled([
      ...Array.from({ length: 10 }, (_, i) => redis.incr("n" + i)),
      redis.incr("lost"), redis.get("lost"), redis.incr("silent"), redis.with({ signal }).incr("silent"),
    ]);
    hold(1100);
    await redis.incr("n");
    redis.close();
    await new Promise((resolve) => setTimeout(resolve, 800));
    console.log(JSON.stringify(process.getActiveResourcesInfo().filter((kind) => !kind.startsWith("Pipe") && !kind.startsWith("TTY"))));
  `,
      );
      expect(ended.errors).toBe("");
      expect(ended.output).toMatch(/^\[\]\n/);
      expect(ended.code).toBe(0);
      // Seen from the other end, while the process still ran: everything it had opened was closed.
      expect(endpoint.connections).toBeGreaterThan(5);
      expect(path.connections).toHaveLength(0);
    });

  endpointTest("close() settles calls in flight, with no unhandled rejection", async ({ endpoint, path }) => {
    endpoint.onRequest = ({ socket, body }) =>
      !body.includes("silent") && socket.write(resp2Response(":1\r\n"));
    const ended = await run(
      path,
      `
    const redis = create({ enableAutoPipelining: false, timeout: 1500, preconnect: true, circuit: false });
    const calls = [redis.incr("answered"), redis.incr("silent"), redis.get("silent"), redis.ready()];
    redis.close();
    setTimeout(() => redis.close(), 250);
    console.log((await Promise.allSettled(calls)).map(({ status }) => status).join());
    console.log(await redis.incr("answered"));
  `,
    );
    expect(ended.errors).toBe("");
    expect(ended.output).toMatch(/^fulfilled,rejected,rejected,fulfilled\n1\n/);
    expect(ended.code).toBe(0);
  });
});

endpointTest("connections that break in every way cause no unhandled rejection", async ({ endpoint }) => {
  endpoint.onConnection = (socket, connection) => connection % 5 === 0 && socket.resetAndDestroy();
  endpoint.onRequest = ({ socket }) => {
    const way = endpoint.requests.length % 6;
    if (way === 0) socket.resetAndDestroy();
    else if (way === 1) socket.end(resp2Response(":1\r\n"));
    else if (way === 2) socket.write(`${resp2Response(":1\r\n")}junk`);
    else if (way === 3) socket.write("garbage");
    else socket.write(resp2Response(":1\r\n"));
  };
  const ended = await run(
    endpoint,
    `
    const redis = create({ timeout: 500, retry: { retries: 2, backoff: () => 5 }, enableAutoPipelining: false });
    const counts = { fulfilled: 0, rejected: 0 };
    for (let i = 0; i < 60; i++) {
      const calls = [redis.incr("n"), redis.strlen("k"), redis.pipeline().incr("n").exec()];
      for (const { status } of await Promise.allSettled(calls)) counts[status]++;
    }
    redis.close();
    console.log(counts.fulfilled + counts.rejected, counts.fulfilled > 20, counts.rejected > 20);
  `,
  );
  expect(ended.errors).toBe("");
  expect(ended.output).toMatch(/^180 true true\n/);
  expect(ended.code).toBe(0);
});
