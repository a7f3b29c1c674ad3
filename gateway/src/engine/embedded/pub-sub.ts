import type { RedisServerState } from "js-redis-server/core";
import { matchesGlob } from "../../util/glob.js";

/** A subscription to a pattern, as the library's broker keeps it. */
interface Subscription {
  readonly pattern: Buffer;
  readonly listener: (message: { pattern: Buffer; channel: Buffer; message: Buffer }) => void;
}

/** Lets PUBLISH compare a channel with each pattern in a bounded time. With the library's matcher some patterns take forever. */
export function replacePatternMatching({ pubsubBroker: broker }: RedisServerState): void {
  // biome-ignore lint/complexity/useLiteralKeys: brackets give typed access to a private member.
  const patterns: Map<string, Map<unknown, Subscription>> = broker["patterns"];
  const { publish } = broker;
  broker.publish = (channel, message) => {
    const withoutPatterns = Object.create(broker, { patterns: { value: new Map() } });
    let count = publish.call(withoutPatterns, channel, message);
    for (const subscriptions of patterns.values()) {
      for (const { pattern, listener } of subscriptions.values()) {
        if (!matchesGlob(pattern, channel)) continue;
        listener({ pattern, channel, message });
        count += 1;
      }
    }
    return count;
  };
}
