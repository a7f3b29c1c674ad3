import type { Upstream, Upstreams } from "./upstream.js";

/** The methods that send commands. */
export type Senders = Pick<Upstream, "send" | "sendAlone" | "transaction">;

/** Returns upstreams that send commands by the methods that `sendersOf` returns, and are else the given ones. */
export function wrapUpstreams(upstreams: Upstreams, sendersOf: (upstream: Upstream) => Senders): Upstreams {
  const made = new WeakMap<Upstream, Upstream>();
  return {
    of(user) {
      const upstream = upstreams.of(user);
      let wrapped = made.get(upstream);
      if (!wrapped) {
        wrapped = wrap(upstream, sendersOf(upstream));
        made.set(upstream, wrapped);
      }
      return wrapped;
    },
    [Symbol.iterator]: () => upstreams[Symbol.iterator](),
    close: () => upstreams.close(),
  };
}

function wrap(upstream: Upstream, senders: Senders): Upstream {
  // Whatever else an upstream has stays its own.
  return new Proxy(upstream, {
    get(target, name) {
      if (Object.hasOwn(senders, name)) return senders[name as keyof Senders];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
