import { asClientOptions, type StartOptions, startGateway, type TestGateway } from "./start-gateway.js";

/** A hook of a test runner, such as `beforeAll`. */
export type Hook = (run: () => Promise<void>) => unknown;

/** The hooks of vitest and jest, or those of `node:test`. */
export type Hooks =
  | { readonly beforeAll: Hook; readonly beforeEach: Hook; readonly afterAll: Hook }
  | { readonly before: Hook; readonly beforeEach: Hook; readonly after: Hook };

/**
 * Registers hooks that start a gateway before the tests, flush it before each test, and close it after them. Meanwhile
 * `process.env` has its URL and token, which `Redis.fromEnv()` reads.
 *
 * @param hooks `{ beforeAll, beforeEach, afterAll }` of vitest or jest, or `{ before, beforeEach, after }` of
 * `node:test`. Default: the global hooks.
 * @returns the gateway. Before it has started, reading its properties throws.
 * @throws {TypeError} when no hooks were given and there are no global ones
 */
export function useGateway(
  hooks: Hooks = globalThis as unknown as Hooks,
  options: StartOptions = {},
): TestGateway {
  const { start, each, end } = momentsOf(hooks);
  let running: TestGateway | undefined;
  let restore = () => {};
  start(async () => {
    running = await startGateway(options);
    restore = setEnvironment(running.env);
  });
  each(() => gateway().flush());
  end(async () => {
    restore();
    await running?.close();
    running = undefined;
  });
  const gateway = (): TestGateway => {
    if (running) return running;
    throw new Error("the test gateway is not running: use it inside a test, or in a hook after its own");
  };
  return asClientOptions({
    get url() {
      return gateway().url;
    },
    get token() {
      return gateway().token;
    },
    get env() {
      return gateway().env;
    },
    flush: async () => gateway().flush(),
    close: async () => running?.close(),
  });
}

function momentsOf(hooks: Hooks): { start: Hook; each: Hook; end: Hook } {
  const [start, end] = "beforeAll" in hooks ? [hooks.beforeAll, hooks.afterAll] : [hooks.before, hooks.after];
  const each = hooks.beforeEach;
  if ([start, each, end].every((hook) => typeof hook === "function")) return { start, each, end };
  throw new TypeError(
    "hooks: pass those of your test runner, as in useGateway({ beforeAll, beforeEach, afterAll }) for vitest and jest, or useGateway({ before, beforeEach, after }) for node:test",
  );
}

/** Sets variables of this process. Returns a function that restores the previous ones. */
function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
