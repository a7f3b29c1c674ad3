import { optional, rest, scalar, scalars, stored } from "./args.js";
import { int, list, object, text } from "./decoders.js";
import { defineCommands, write } from "./define.js";
import type { Reply, ReplyMode } from "./reply-mode.js";
import type { StorableValue } from "./storable.js";

/** Commands on channels. */
export interface PubSubCommands<K extends ReplyMode> {
  /**
   * Sends a message to a channel. Returns how many received it.
   * @example
   * ```ts
   * await redis.publish("orders", { id: 1 }); // 3 subscribers received it
   * ```
   */
  publish<T = unknown, Tag = never>(channel: string, message: StorableValue<K, T, Tag>): Reply<K, number>;
  /** Returns the channels that have subscribers, with a glob pattern only the ones that match it. */
  pubsubChannels(pattern?: string): Reply<K, string[]>;
  /** Returns how many patterns have subscribers. */
  pubsubNumpat(): Reply<K, number>;
  /** Returns how many subscribers each channel has. */
  pubsubNumsub(...channels: string[]): Reply<K, Record<string, number>>;
  /** Returns the shard channels that have subscribers, with a glob pattern only the ones that match it. */
  pubsubShardchannels(pattern?: string): Reply<K, string[]>;
  /** Returns how many subscribers each shard channel has. */
  pubsubShardnumsub(...channels: string[]): Reply<K, Record<string, number>>;
  /** Sends a message to a shard channel. Returns how many received it. */
  spublish<T = unknown, Tag = never>(channel: string, message: StorableValue<K, T, Tag>): Reply<K, number>;
}

export default defineCommands(() => {
  const channels = write(list(text), optional(scalar));
  const counts = write(object(int), rest(scalars, 0));
  const publish = write(int, scalar, stored);

  return {
    publish,
    pubsubChannels: channels,
    pubsubNumpat: write(int),
    pubsubNumsub: counts,
    pubsubShardchannels: channels,
    pubsubShardnumsub: counts,
    spublish: publish,
  };
}) satisfies () => Record<keyof PubSubCommands<ReplyMode>, unknown>;
