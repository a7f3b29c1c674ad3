import type { Activity } from "./activity.js";
import type { Upstreams } from "./upstream.js";
import { wrapUpstreams } from "./wrap-upstreams.js";

/** Returns upstreams for the commands of clients: each command counts as a use of Redis. */
export function activeUpstreams(upstreams: Upstreams, activity: Activity): Upstreams {
  return wrapUpstreams(upstreams, (upstream) => ({
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
  }));
}
