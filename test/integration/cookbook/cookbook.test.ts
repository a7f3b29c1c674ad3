import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Redis, UnknownOutcomeError } from "warmline";
import { useGateway } from "warmline-gateway/testing";
import { carries, loseReply, type NetworkProxy, onRequest, startNetworkProxy } from "warmline-testbed";
import type * as Cache from "../../../examples/cookbook/cache.js";
import type * as Counters from "../../../examples/cookbook/counters.js";
import type * as FanOut from "../../../examples/cookbook/fan-out.js";
import type * as Flags from "../../../examples/cookbook/flags.js";
import type * as Leaderboard from "../../../examples/cookbook/leaderboard.js";
import type * as LeasedLimit from "../../../examples/cookbook/leased-limit.js";
import type * as Lock from "../../../examples/cookbook/lock.js";
import type * as Queue from "../../../examples/cookbook/queue.js";
import type * as RateLimit from "../../../examples/cookbook/rate-limit.js";
import type * as Sessions from "../../../examples/cookbook/sessions.js";
import { forTest } from "../../support/lifetime.js";

// The programs of docs/cookbook.md, unchanged, and what the page claims of several instances at once.

const gateway = useGateway({ beforeAll, beforeEach, afterAll });
const folder = resolve(import.meta.dirname, "../../../examples/cookbook");
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
const direct = () => new Redis(gateway);

let copies = 0;
/** Returns a copy of a recipe with a state of its own, as in another function instance. */
const instance = <Recipe>(name: string): Promise<Recipe> =>
  import(/* @vite-ignore */ `${join(folder, name)}.ts?copy=${copies++}`);

/** Runs a function that starts instances, with another address in their environment. */
async function behind<T>(url: string, start: () => Promise<T>): Promise<T> {
  const before = process.env.WARMLINE_URL;
  process.env.WARMLINE_URL = url;
  try {
    return await start();
  } finally {
    process.env.WARMLINE_URL = before;
  }
}

describe("with a network that loses replies", () => {
  let network: NetworkProxy;
  /** Requests that contain the text of {@link loseFirst}. */
  let carrying: number;
  beforeEach(async () => {
    carrying = 0;
    network = forTest(await startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } }));
  });
  afterEach(() => expect(carrying).toBeGreaterThan(0));

  /** Loses the reply to the first request that contains this text. */
  function loseFirst(text: string): void {
    network.onConnection(() =>
      onRequest((exchange) => carries(text)(exchange) && carrying++ === 0, loseReply()),
    );
  }

  test("a view whose reply is lost is counted once", async () => {
    loseFirst("views:");
    const { countView, views } = await behind(network.url, () => instance<typeof Counters>("counters"));
    await countView("home", "ada");
    expect(await views("home", 1)).toEqual({ views: 1, visitors: 1 });
  });

  test("a lock whose reply is lost is held by its caller", async () => {
    loseFirst("lock:");
    const { withLock } = await behind(network.url, () => instance<typeof Lock>("lock"));
    expect(await withLock("job", async (fence) => fence, { wait: 0 })).toBe(1);
    expect(await direct().exists("lock:{job}")).toBe(0);
  });

  test("permits of a lost lease are never spent", async () => {
    // Loads the script, so that the lost reply is that of a lease.
    await (await instance<typeof LeasedLimit>("leased-limit")).leasedLimit("other", 1, 60_000)();
    loseFirst("limit:");
    const { leasedLimit } = await behind(network.url, () => instance<typeof LeasedLimit>("leased-limit"));
    const permit = leasedLimit("mail", 10, 60_000, 4);
    await expect(permit()).rejects.toBeInstanceOf(UnknownOutcomeError);
    const permitted = await Promise.all(Array.from({ length: 20 }, permit));
    expect(permitted.filter(Boolean)).toHaveLength(6);
  });

  test("a job whose reply is lost is queued once", async () => {
    loseFirst("XADD");
    const queue = await behind(network.url, () => instance<typeof Queue>("queue"));
    await queue.createQueue();
    await queue.enqueue({ n: 1 });
    expect(await direct().xlen("jobs")).toBe(1);
  });
});

describe("caching", () => {
  test("a value is loaded once and comes back as it was", async () => {
    const { cached } = await instance<typeof Cache>("cache");
    for (const value of ["1", null, { name: "Ada" }]) {
      const load = vi.fn(async () => value);
      const key = `value:${JSON.stringify(value)}`;
      expect(await cached(key, 60, load)).toEqual(value);
      expect(await cached(key, 60, load)).toEqual(value);
      expect(load).toHaveBeenCalledOnce();
      expect(await direct().ttl(key)).toBeGreaterThan(50);
    }
  });

  test("without Redis the value is loaded", async () => {
    const { cached } = await behind("http://127.0.0.1:1", () => instance<typeof Cache>("cache"));
    expect(await cached("key", 60, async () => "loaded")).toBe("loaded");
  });
});

test("two requests that change one session lose neither change", async () => {
  const first = await instance<typeof Sessions>("sessions");
  const second = await instance<typeof Sessions>("sessions");
  const id = await first.createSession("ada");
  const add = (item: string) => (session: Sessions.Session) => ({
    ...session,
    cart: [...session.cart, item],
  });
  await Promise.all([first.changeSession(id, add("tea")), second.changeSession(id, add("milk"))]);
  const session = await second.readSession(id);
  expect(session).toEqual({ user: "ada", cart: expect.arrayContaining(["tea", "milk"]) });
  expect(await direct().ttl(`session:${id}`)).toBeCloseTo(3_600, -1);
});

describe("limits", () => {
  afterEach(() => void vi.useRealTimers());

  test("a sliding window is shared by all instances", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 60_000 * 1_000 });
    const options = { limit: 10, window: 60_000 };
    const start = async () => (await instance<typeof RateLimit>("rate-limit")).rateLimit(options);
    const instances = [await start(), await start()];
    const allowed = async (times: number) => {
      const calls = Array.from({ length: times }, (_, i) => instances[i % 2]!("ada"));
      return (await Promise.all(calls)).filter((each) => each.allowed).length;
    };
    expect(await allowed(25)).toBe(10);
    // The whole of the previous window counts, then half of it, then none.
    vi.advanceTimersByTime(60_000);
    expect(await allowed(1)).toBe(0);
    vi.advanceTimersByTime(30_000);
    expect(await allowed(25)).toBe(5);
    vi.advanceTimersByTime(120_000);
    expect(await allowed(25)).toBe(10);
    expect(await instances[0]!("grace")).toMatchObject({ allowed: true, left: 9 });
  });

  test("a leased limit is never exceeded over many instances, and takes few requests", async () => {
    const start = async () =>
      (await instance<typeof LeasedLimit>("leased-limit")).leasedLimit("mail", 50, 60_000, 5);
    const instances = await Promise.all(Array.from({ length: 8 }, start));
    const before = await evaluated();
    const calls = Array.from({ length: 200 }, (_, i) => instances[i % 8]!());
    expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(50);
    // Ten leases, and one refusal per instance; the first run of a script may be sent twice.
    expect((await evaluated()) - before).toBeLessThanOrEqual(10 + 8 + 8);
  });

  /** Returns the number of scripts that Redis has run. */
  async function evaluated(): Promise<number> {
    const info = await fetch(`${gateway.url}/metrics`, {
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    const calls = (await info.text()).matchAll(
      /^warmline_gateway_commands_total\{command="eval(?:sha)?"\} (\d+)/gm,
    );
    return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
  }
});

describe("a queue", () => {
  const quick = { minIdle: 60_000, wait: 10 };

  test("each job is handled once by one of two workers", async () => {
    const first = await instance<typeof Queue>("queue");
    const second = await instance<typeof Queue>("queue");
    await first.createQueue();
    await second.createQueue();
    await Promise.all(Array.from({ length: 25 }, (_, n) => first.enqueue({ n })));
    const handled: number[] = [];
    const drain = async ({ work }: typeof Queue, worker: string) => {
      const handle = async ({ n }: { n: number }) => void handled.push(n);
      while ((await work(worker, handle, quick)) > 0);
    };
    await Promise.all([drain(first, "a"), drain(second, "b")]);
    expect(handled.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, n) => n));
    expect(await direct().xlen("jobs")).toBe(0);
  });

  test("a job of a dead worker is handled by another", async () => {
    const { createQueue, enqueue, work } = await instance<typeof Queue>("queue");
    await createQueue();
    await enqueue("mail");
    const begun = new Promise<void>((dead) => {
      void work("a", () => new Promise(() => dead()), quick);
    });
    await begun;
    const handle = vi.fn(async () => {});
    // It still belongs to the first worker, until that one has been silent for long enough.
    expect(await work("b", handle, quick)).toBe(0);
    await pause(60);
    expect(await work("b", handle, { minIdle: 50, wait: 10 })).toBe(1);
    expect(handle).toHaveBeenCalledWith("mail");
    expect(await direct().xlen("jobs")).toBe(0);
  });

  test("a job that fails is handled again later, and the jobs behind it are handled at once", async () => {
    const { createQueue, enqueue, work } = await instance<typeof Queue>("queue");
    await createQueue();
    for (const job of ["bad", "good", "better"]) await enqueue(job);
    const handled: string[] = [];
    const handle = async (job: string) => {
      handled.push(job);
      if (job === "bad") throw new Error(`no ${job} job`);
    };
    const failed = {
      message: "1 of 3 jobs failed",
      errors: [expect.objectContaining({ message: "no bad job" })],
    };
    await expect(work("a", handle, { wait: 10 })).rejects.toMatchObject(failed);
    expect(handled).toEqual(["bad", "good", "better"]);
    expect(await direct().xlen("jobs")).toBe(1);
    expect(await work("a", handle, { wait: 10 })).toBe(0);
    await expect(work("b", handle, { minIdle: 0, wait: 10 })).rejects.toThrow("1 of 1 jobs failed");
  });

  test("without a wait it sends no command that blocks, as Upstash requires", async () => {
    const network = forTest(await startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } }));
    const requests: string[] = [];
    const record = ({ request }: { request: Buffer }) => requests.push(request.toString()) === 0;
    network.onConnection(() => onRequest(record, loseReply()));
    const { createQueue, enqueue, work } = await behind(network.url, () => instance<typeof Queue>("queue"));
    await createQueue();
    expect(await work("a", async () => {}, { wait: 0 })).toBe(0);
    await enqueue("mail");
    expect(await work("a", async () => {}, { wait: 0 })).toBe(1);
    expect(requests.join()).toMatch(/xreadgroup/i);
    expect(requests.join()).not.toMatch(/block/i);
  });
});

test("a leaderboard keeps the best score of each player", async () => {
  const { submit, top, standing } = await instance<typeof Leaderboard>("leaderboard");
  await Promise.all([10, 30, 20].map((score) => submit("7", score)));
  await submit("grace", 25);
  expect(await top(5)).toEqual([
    { rank: 1, player: "7", score: 30 },
    { rank: 2, player: "grace", score: 25 },
  ]);
  expect(await standing("grace")).toEqual({ rank: 2, score: 25 });
  expect(await standing("alan")).toBeNull();
});

describe("a lock", () => {
  test("two instances never hold one lock, and fences grow", async () => {
    const instances = await Promise.all([1, 2, 3, 4, 5].map(() => instance<typeof Lock>("lock")));
    let inside = 0;
    let most = 0;
    const fences: number[] = [];
    const task = async (fence: number) => {
      most = Math.max(most, ++inside);
      fences.push(fence);
      await pause(5);
      inside--;
    };
    await Promise.all(instances.map(({ withLock }) => withLock("job", task, { wait: 20_000 })));
    expect(most).toBe(1);
    expect(fences).toEqual([1, 2, 3, 4, 5]);
  });

  test("the fenced write of a late holder is refused", async () => {
    const late = await instance<typeof Lock>("lock");
    const next = await instance<typeof Lock>("lock");
    let written: boolean | undefined;
    const work = late.withLock(
      "job",
      async (fence) => {
        // The lease ends as if this instance were frozen. Another one takes the lock, and writes.
        await direct().del("lock:{job}");
        await next.withLock("job", async (later) => {
          expect(await next.fencedSet("report", "new", later)).toBe(true);
        });
        written = await late.fencedSet("report", "old", fence);
        // Two extensions begin in this time, and the reply to the first has to arrive. A stall shortens one of the pauses alone.
        for (let n = 0; n < 6; n++) await pause(50);
      },
      { lease: 300 },
    );
    await expect(work).rejects.toThrow("lock job: lost before the task had ended");
    expect(written).toBe(false);
    expect(await direct().get("report")).toBe("new");
  });

  test("a lock outlives its lease while its task runs, and ends when the task fails", async () => {
    const { withLock } = await instance<typeof Lock>("lock");
    let finish = (_result: string) => {};
    const finished = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const long = withLock("job", () => finished, { lease: 2_000 });
    await pause(2_200);
    await expect(withLock("job", async () => {}, { wait: 30 })).rejects.toThrow("held by another for 30 ms");
    finish("done");
    expect(await long).toBe("done");
    await expect(withLock("job", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await withLock("job", async () => "free", { wait: 0 })).toBe("free");
  });
});

test("a flag has the same result for a user everywhere, and keeps it as its share grows", async () => {
  const first = await instance<typeof Flags>("flags");
  const users = Array.from({ length: 1_000 }, (_, n) => `user-${n}`);
  const on = async ({ isOn }: typeof Flags) => {
    const results = await Promise.all(users.map((user) => isOn("search", user)));
    return users.filter((_, n) => results[n]);
  };
  expect(await on(first)).toEqual([]);
  await first.setFlag("search", 20);
  const second = await instance<typeof Flags>("flags");
  const some = await on(first);
  expect(await on(second)).toEqual(some);
  expect(some.length).toBeGreaterThan(150);
  expect(some.length).toBeLessThan(250);
  await first.setFlag("search", 60);
  expect(await on(first)).toEqual(expect.arrayContaining(some));
});

test("flags stay as they were when Redis can't be reached", async () => {
  const network = await startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } });
  const { isOn, setFlag } = await behind(network.url, () => instance<typeof Flags>("flags"));
  await setFlag("search", 100);
  expect(await isOn("search", "ada")).toBe(true);
  await network.close();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 6_000 });
  try {
    expect(await isOn("search", "ada")).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("views are counted by day, with distinct visitors", async () => {
  const { countView, views } = await instance<typeof Counters>("counters");
  const today = Date.UTC(2030, 0, 2);
  const visits = ["ada", "ada", "grace"].map((visitor) => countView("home", visitor, today));
  await Promise.all([...visits, countView("home", "alan", today - 86_400_000)]);
  expect(await views("home", 1, today)).toEqual({ views: 3, visitors: 2 });
  expect(await views("home", 7, today)).toEqual({ views: 4, visitors: 3 });
  expect(await direct().ttl("views:{home}:2030-01-02")).toBeCloseTo(30 * 86_400, -1);
});

test("a job of many parts ends once, though parts and starts are repeated", async () => {
  const queue = await instance<typeof Queue>("queue");
  const { startJob, finishPart } = await instance<typeof FanOut>("fan-out");
  await queue.createQueue();
  const parts = Array.from({ length: 12 }, (_, n) => `page-${n}`);
  await Promise.all([startJob("report", parts), startJob("report", parts)]);
  const seen: string[] = [];
  const worker = async (name: string) => {
    const handle = async (message: FanOut.Message) => {
      seen.push("part" in message ? message.part : "end");
      if (!("part" in message)) return;
      await Promise.all([finishPart(message.job, message.part), finishPart(message.job, message.part)]);
    };
    while ((await queue.work(name, handle, { count: 2, wait: 30 })) > 0);
  };
  await Promise.all(["a", "b", "c"].map(worker));
  await expect(startJob("empty", [])).rejects.toThrow("job empty: it has no parts, so it would never end");
  expect(seen.at(-1)).toBe("end");
  expect(seen.sort()).toEqual([...parts, "end"].sort());
});
