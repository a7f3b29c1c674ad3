import type { RedisServerState } from "js-redis-server/core";
import { matchesGlob } from "../../util/glob.js";

type Listener = (message: { pattern?: Buffer; channel: Buffer; message: Buffer }) => void;

/** The members of the library's broker that this module uses. Its types do not declare them. */
interface Broker {
  readonly channels: Map<string, unknown>;
  readonly patterns: Map<string, Map<unknown, { readonly pattern: Buffer; readonly listener: Listener }>>;
  publish(channel: Buffer, message: Buffer): number;
}

/** Lets PUBLISH compare a channel with each pattern in a bounded time. With the library's matcher some patterns take forever. */
export function replacePatternMatching(state: RedisServerState): void {
  const broker = state.pubsubBroker as unknown as Broker;
  const { publish } = broker;
  broker.publish = (channel, message) => {
    let count = publish.call({ channels: broker.channels, patterns: new Map() } as Broker, channel, message);
    for (const subscribers of broker.patterns.values()) {
      for (const { pattern, listener } of subscribers.values()) {
        if (!matchesGlob(pattern, channel)) continue;
        listener({ pattern, channel, message });
        count += 1;
      }
    }
    return count;
  };
}
