import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import {
  type FakeRedis,
  type GatewayProcess,
  type Instance,
  type InstanceOptions,
  type NetworkProxy,
  type NetworkProxyOptions,
  startFakeRedis,
  startGatewayProcess,
  startInstance,
  startNetworkProxy,
} from "warmline-testbed";
import { sharedByTests } from "../../support/lifetime.js";
import { chosenConnection } from "./program.js";

/** The result of a handler's step. */
export interface StepResult {
  readonly value?: unknown;
  readonly error?: { readonly name: string; readonly message: string; readonly outcome?: string };
  /** Its duration, by the function's clock. */
  readonly ms: number;
}

/** A command, a time in ms for which the event loop is blocked, or opening a connection without waiting for it. */
export type Step = readonly string[] | { readonly hold: number } | { readonly open: true };

export interface SteppedFunction extends Instance {
  /** Runs the steps one after another, with no iteration of the event loop between them. */
  run(...steps: Step[]): Promise<StepResult[]>;
}

const HANDLER = fileURLToPath(new URL("../handlers/steps.mjs", import.meta.url));

/** A scripted Redis with the real gateway in front of it. */
export class Backend {
  private constructor(
    readonly redis: FakeRedis,
    readonly gateway: GatewayProcess,
  ) {}

  /** @param gatewayArgs flags for the gateway beside `--redis`. */
  static async start(...gatewayArgs: string[]): Promise<Backend> {
    const redis = await startFakeRedis();
    return new Backend(redis, await startGatewayProcess({ args: ["--redis", redis.url, ...gatewayArgs] }));
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.redis.close();
  }
}

let keys = 0;

/** A network path to the backend for one test, with the clients and functions that use it, and a separate key. */
export class Route {
  readonly key = `n${++keys}`;
  private readonly functions: SteppedFunction[] = [];
  private readonly clients: Redis[] = [];

  private constructor(
    readonly backend: Backend,
    readonly path: NetworkProxy,
  ) {}

  static async open(backend: Backend, options: Partial<NetworkProxyOptions> = {}): Promise<Route> {
    return new Route(backend, await startNetworkProxy({ to: { port: backend.gateway.port }, ...options }));
  }

  /** Number of times that a command with this route's key was applied. */
  applied(name: string): number {
    return this.backend.redis.applied.filter(({ args }) => args[0] === name && args[1] === this.key).length;
  }

  /** A client in this process. */
  client(options: RedisOptions = {}): Redis {
    const { token } = this.backend.gateway;
    const client = new Redis({ url: this.path.url, token, codec: "text", ...options });
    this.clients.push(client);
    return client;
  }

  /** A function whose handler is `handlers/steps.mjs`. */
  async startFunction(
    client: RedisOptions = {},
    env: Record<string, string> = {},
    options: Partial<InstanceOptions> = {},
  ): Promise<SteppedFunction> {
    const instance = await startInstance({
      handler: HANDLER,
      timeoutMs: 15_000,
      env: {
        WARMLINE_URL: this.path.url,
        WARMLINE_TOKEN: this.backend.gateway.token,
        CLIENT: JSON.stringify(client),
        ...chosenConnection,
        ...env,
      },
      ...options,
    });
    const run: SteppedFunction["run"] = async (...steps) => {
      const { result, error } = await instance.invoke(steps);
      if (error) throw new Error(`The handler failed: ${error.errorMessage}\n${instance.output}`);
      return result as StepResult[];
    };
    // Not a copy, since the instance's own properties change.
    const started = Object.create(instance, { run: { value: run } }) as SteppedFunction;
    this.functions.push(started);
    return started;
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.close();
    await Promise.all(this.functions.map((each) => each.stop()));
    await this.path.close();
  }
}

/** Starts a backend for a file. Returns tests that get a route of their own; they mostly wait, so they run side by side. */
export function routeTests(options: Partial<NetworkProxyOptions> = {}) {
  const backend = sharedByTests(() => Backend.start());
  return test.extend<{ route: Route }>({
    // biome-ignore lint/correctness/noEmptyPattern: a fixture without dependencies is declared like this
    route: async ({}, use) => {
      const route = await Route.open(backend, options);
      await use(route);
      await route.close();
    },
  }).concurrent;
}

/** Freezes a function, calls `happening`, and resolves after `ms`. The function stays frozen until `thaw()` is called. */
export async function frozen(
  instance: Instance,
  ms: number,
  happening: () => void = () => {},
): Promise<void> {
  await instance.freeze();
  happening();
  await pause(ms);
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
