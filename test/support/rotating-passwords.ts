import { renameSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import type { RedisConnection } from "warmline-testbed";
import type { Gateway } from "../../gateway/src/index.js";
import { call, run } from "../integration/gateway/http.js";
import { listen } from "../integration/subscribe/listen.js";
import { newFolder } from "./new-folder.js";
import { startServer } from "./start-server.js";

/** The interval of new passwords in ms. */
const EVERY = 1_000;

/** A password of the user `app` that changes every second: a new one is accepted before it is in the file, the old one for a second after. */
export interface Rotation {
  /** The file with the present password. */
  readonly file: string;
  /** All passwords so far. */
  readonly passwords: readonly string[];
  stop(): Promise<void>;
}

/** @param servers connections of the default user to every server that has the user */
export async function rotatePasswords(
  servers: readonly Pick<RedisConnection, "command">[],
): Promise<Rotation> {
  const folder = newFolder("passwords");
  const file = join(folder, "password");
  const passwords: string[] = [];
  const set = (...rules: string[]) =>
    Promise.all(servers.map(({ command }) => command("ACL", "SETUSER", "app", ...rules)));
  const next = async () => {
    const [last, before] = [passwords.at(-1), passwords.at(-2)];
    const password = `password-${passwords.length}-${Math.random()}`;
    await set(`>${password}`, ...(before === undefined ? [] : [`<${before}`]));
    passwords.push(password);
    writeFileSync(`${file}.new`, `${password}\n`);
    renameSync(`${file}.new`, file);
    return last;
  };
  await set("reset", "on", "~*", "&*", "+@all");
  await next();
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(next);
  }, EVERY);
  return {
    file,
    passwords,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** A proxy that ends each connection that has not sent AUTH for a time, as services do after hours. */
export interface ExpiringProxy {
  readonly port: number;
  /** Connections that it has ended. */
  readonly ended: number;
  close(): Promise<void>;
}

const AUTH = "$4\r\nAUTH\r\n";

/** @param maxAge the longest time without AUTH, in ms */
export async function startExpiringProxy(port: number, maxAge: number): Promise<ExpiringProxy> {
  const open = new Map<Socket, number>();
  let ended = 0;
  const server = createServer((client) => {
    const redis = connect({ port, host: "127.0.0.1" });
    open.set(client, performance.now());
    client.on("data", (bytes) => {
      if (bytes.includes(AUTH)) open.set(client, performance.now());
    });
    client.pipe(redis).pipe(client);
    for (const socket of [client, redis]) {
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(client);
        client.destroy();
        redis.destroy();
      });
    }
  });
  const timer = setInterval(() => {
    for (const [client, signedIn] of open) {
      if (performance.now() - signedIn < maxAge) continue;
      ended++;
      client.destroy();
    }
  }, 100);
  const started = await startServer(server);
  return {
    port: started.port,
    get ended() {
      return ended;
    },
    async close() {
      clearInterval(timer);
      await started.close();
    },
  };
}

/**
 * Sends commands of every kind for a time: ordinary ones, transactions, blocking ones, and events. Fails if one fails, or if one was
 * not run exactly once.
 */
export async function expectNoneToFail(gateway: Gateway, ms: number): Promise<void> {
  const end = performance.now() + ms;
  let published = 0;
  const events = await listen(gateway, "/subscribe/events");
  const worker = async (name: string) => {
    for (let i = 1; performance.now() < end; i++) {
      expect(await run(gateway, "INCR", `n:${name}`)).toBe(i);
      const increment = ["INCR", `m:{${name}}`];
      const body = [increment, increment];
      const { json } = await call(gateway, "/multi-exec", { body });
      expect(json).toEqual([{ result: 2 * i - 1 }, { result: 2 * i }]);
      const popped = run(gateway, "BLPOP", `q:${name}`, 5);
      expect(await run(gateway, "RPUSH", `q:${name}`, i)).toBeTypeOf("number");
      expect(await popped).toEqual([`q:${name}`, String(i)]);
      expect(await run(gateway, "PUBLISH", "events", `${name} ${i}`)).toBeTypeOf("number");
      published++;
    }
  };
  /** Waits at Redis for longer than a password is accepted. */
  const waiter = async () => {
    for (let i = 0; performance.now() < end; i++) {
      const popped = run(gateway, "BLPOP", "slow", 20);
      await new Promise((resolve) => setTimeout(resolve, 2.5 * EVERY));
      await run(gateway, "RPUSH", "slow", i);
      expect(await popped).toEqual(["slow", String(i)]);
    }
  };
  try {
    await Promise.all([...["a", "b", "c", "d"].map(worker), waiter()]);
    await expect.poll(() => events.data.filter((line) => line.startsWith("message,")).length).toBe(published);
    expect(events.text).not.toContain("gap");
    expect(published).toBeGreaterThan(ms / 100);
  } finally {
    events.close();
  }
}
