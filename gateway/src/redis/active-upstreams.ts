import type { Activity } from "./activity.js";
import type { Upstream, Upstreams } from "./upstream.js";

/** Returns upstreams for the commands of clients: each command counts as a use of Redis. */
export function activeUpstreams(upstreams: Upstreams, activity: Activity): Upstreams {
  const made = new WeakMap<Upstream, Upstream>();
  return {
    of(user) {
      const upstream = upstreams.of(user);
      let active = made.get(upstream);
      if (!active) {
        active = activeUpstream(upstream, activity);
        made.set(upstream, active);
      }
      return active;
    },
    [Symbol.iterator]: () => upstreams[Symbol.iterator](),
    close: () => upstreams.close(),
  };
}

function activeUpstream(upstream: Upstream, activity: Activity): Upstream {
  const active = {
    send(...args) {
      activity.use();
      upstream.send(...args);
    },
    sendAlone(...args) {
      activity.use();
      return upstream.sendAlone(...args);
    },
    transaction(...args) {
      activity.use();
      return upstream.transaction(...args);
    },
  } satisfies Partial<Upstream>;
  // Whatever else an upstream has stays its own.
  return new Proxy(upstream, {
    get(target, name) {
      if (Object.hasOwn(active, name)) return active[name as keyof typeof active];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
