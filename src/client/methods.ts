import { rawCommand } from "../features/raw-command.js";
import { createPipeline } from "./pipeline.js";

// The imports above stay first: bundles keep the order of imports, and this one compresses better.

import { commandMethod, commandNames } from "../commands/methods.js";
import { boundPrototype, onDemand } from "../commands/on-demand.js";
import type { Key } from "../commands/reply-mode.js";
import { ArgumentError } from "../errors.js";
import type { CommandExecutor } from "../execution/executor.js";
import { EXECUTOR, executorOf } from "../execution/executor-key.js";
import type { Middleware } from "../execution/middleware.js";
import { withOptions } from "../execution/settings.js";
import { iterate } from "../features/iterators.js";
import { monitor } from "../features/monitor.js";
import { createScript } from "../features/script.js";
import type { SubscribeMethod } from "../features/subscribe/follow-stream.js";
import { createSubscriber } from "../features/subscribe/subscriptions.js";
import { type UpdateOptions, type Updater, update } from "../features/update.js";
import { assertConfig } from "../options/assert-config.js";
import { assertKnownOptions } from "../options/option-names.js";
import type { CallOptions, ScopeOptions } from "../options/options.js";
import type { BatchPath } from "../protocol/rest-protocol.js";
import { rejectAtCaller } from "../util/at-caller.js";

/** Key under which a client keeps the prototype of its class, for the clients that `with()` creates from it. */
export const PROTOTYPE = Symbol("prototype");

/** Wraps the requests of one client in middleware. */
const use = (client: { readonly [PROTOTYPE]: object }) => (middleware: Middleware) => {
  // From here on this client no longer shares its methods with others.
  const executor = executorOf(client).withMiddleware(middleware);
  // A replaced method that calls the original one would bypass the middleware.
  for (const name of Object.keys(client)) if (getMethod(name)) Reflect.deleteProperty(client, name);
  Object.setPrototypeOf(client, bind(executor, client[PROTOTYPE]));
  Object.defineProperty(client, EXECUTOR, { value: () => executor, configurable: true });
};

const tables = new WeakMap<CommandExecutor, Map<object, object>>();

/** Returns the methods of a class of clients, bound to an executor. They are created once. */
export function boundMethods(executor: CommandExecutor, prototype: object): object {
  const byPrototype = tables.get(executor) ?? new Map<object, object>();
  tables.set(executor, byPrototype);
  const methods = byPrototype.get(prototype) ?? bind(executor, prototype);
  byPrototype.set(prototype, methods);
  return methods;
}

/** Returns an object with every method bound to the executor, except methods that the prototype replaces. */
function bind(executor: CommandExecutor, prototype: object): object {
  const isReplaced = (name: string) => {
    for (let at: object | null = prototype; at && at !== inherited; at = Object.getPrototypeOf(at)) {
      if (Object.hasOwn(at, name)) return true;
    }
    return false;
  };
  const taken = (name: string) => isReplaced(name) || name in Object.prototype;
  const create = (name: string): unknown => {
    const method = getMethod(name)?.(executor, prototype) as Method;
    if (typeof method !== "function") return method;
    return function (this: object | undefined, ...args: unknown[]) {
      // A spy may have replaced the method on the prototype since this function was created.
      const called = isReplaced(name) ? (prototype as Record<string, Method>)[name]! : method;
      return called.apply(this ?? methods, args);
    };
  };
  const methods: object = onDemand(prototype, create, methodNames, taken);
  return identify(methods, executor, prototype);
}

/** Returns the function that binds the method of a name, or undefined if there is no such method. */
function getMethod(name: string): Bound | undefined {
  // Client methods come first, because looking up a name that is not a command creates all specs.
  const clientMethod = clientMethods[name];
  const make = clientMethod ? undefined : commandMethod(name);
  return make ? (executor) => make((spec, args) => executor.run(spec, args)) : clientMethod;
}

type Method = (this: object | undefined, ...args: unknown[]) => unknown;

type Bound = (executor: CommandExecutor, prototype: object) => unknown;

const pipeline =
  (path: BatchPath): Bound =>
  (executor) =>
  () =>
    createPipeline(executor, path);

const subscribeBy =
  (method: SubscribeMethod): Bound =>
  (executor) =>
  (names: string | readonly string[], ...surplus: unknown[]) => {
    if (surplus.length === 0) return createSubscriber(executor, method, names);
    const message = 'takes one argument: add a listener with .on("message", listener)';
    throw new ArgumentError(`${method}() ${message}`, { command: method.toUpperCase() });
  };

const iterateBy =
  (name: "scan" | "hscan" | "sscan" | "zscan"): Bound =>
  (executor) =>
  (...args: unknown[]) =>
    iterate(executor, name, ...args);

const clientMethods: Record<string, Bound> = {
  pipeline: pipeline("pipeline"),
  multi: pipeline("multi-exec"),
  exec: (executor) => async (command: readonly unknown[]) => executor.run(...rawCommand(command)),
  createScript:
    (executor) =>
    (script: string, options: { readonly?: boolean } = {}) => {
      assertKnownOptions("createScript", options, "readonly");
      return createScript(executor, script, options.readonly);
    },
  update:
    (executor) =>
    async (key: Key, change: Updater<unknown>, options: UpdateOptions = {}) => {
      assertKnownOptions("update", options, "attempts");
      return update(executor, key, change, options).catch(rejectAtCaller);
    },
  subscribe: subscribeBy("subscribe"),
  psubscribe: subscribeBy("psubscribe"),
  ssubscribe: subscribeBy("ssubscribe"),
  monitor: (executor) => () => monitor(executor),
  scanIterator: iterateBy("scan"),
  hscanIterator: iterateBy("hscan"),
  sscanIterator: iterateBy("sscan"),
  zscanIterator: iterateBy("zscan"),
  with: (executor, prototype) =>
    function (this: object | undefined, options: CallOptions & ScopeOptions) {
      const settings = withOptions(executor.settings, options);
      assertConfig(
        options.near === undefined || executor.context.near !== undefined,
        "near needs new Redis({ near })",
      );
      const client = derived(executor.withSettings(settings), prototype);
      // Copy fields that a subclass added, but not replaced methods: those are bound to the old settings.
      if (this && executorOf(this) === executor) {
        for (const name of Object.keys(this)) {
          if (!getMethod(name))
            Object.defineProperty(client, name, Object.getOwnPropertyDescriptor(this, name)!);
        }
      }
      return client;
    },
  ready: (executor) => () => executor.context.transport.ready?.() ?? Promise.resolve(),
  stats: (executor) => () => {
    const { near, transport } = executor.context;
    return { ...transport.stats, ...(near && { near: { ...near.stats } }) };
  },
  close: (executor) => () => executor.context.transport.close?.(),
};

const methodNames = () => [...commandNames(), ...Object.keys(clientMethods)];

/** The prototype of every class of clients, where `super.get(key)` finds methods, bound at each lookup. */
export const inherited = boundPrototype<{ [PROTOTYPE]: object }>(
  (name) => {
    const method = getMethod(name);
    if (method) return (client) => method(executorOf(client), client[PROTOTYPE]);
    return name === "use" ? use : undefined;
  },
  () => [...methodNames(), "use"],
  (object) => executorOf(object) !== undefined,
);

/** Creates a client for a few calls: its methods are bound at each lookup. */
const derived = (executor: CommandExecutor, prototype: object): object =>
  identify(Object.create(prototype), executor, prototype);

function identify(client: object, executor: CommandExecutor, prototype: object): object {
  return Object.defineProperties(client, {
    [EXECUTOR]: { value: () => executor, configurable: true },
    [PROTOTYPE]: { value: prototype },
  });
}
