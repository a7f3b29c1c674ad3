import { optional, rest, scalar, scalars, stored } from "./args.js";
import { int, list, object, text } from "./decoders.js";
import { defineCommands, write } from "./define.js";
import type { Reply, ReplyMode } from "./reply-mode.js";

export interface PubSubCommands<K extends ReplyMode> {
  /** Sends a message to a channel. Gives how many received it. */
  publish(channel: string, message: unknown): Reply<K, number>;
  /** Gives the channels that have subscribers, or those of them that fit a glob pattern. */
  pubsubChannels(pattern?: string): Reply<K, string[]>;
  /** Gives how many patterns have subscribers. */
  pubsubNumpat(): Reply<K, number>;
  /** Gives how many subscribers each channel has. */
  pubsubNumsub(...channels: string[]): Reply<K, Record<string, number>>;
  /** Gives the shard channels that have subscribers, or those of them that fit a glob pattern. */
  pubsubShardchannels(pattern?: string): Reply<K, string[]>;
  /** Gives how many subscribers each shard channel has. */
  pubsubShardnumsub(...channels: string[]): Reply<K, Record<string, number>>;
  /** Sends a message to a shard channel. Gives how many received it. */
  spublish(channel: string, message: unknown): Reply<K, number>;
}

const channels = write(list(text), optional(scalar));
const counts = write(object(int), rest(scalars, 0));
const publish = write(int, scalar, stored);

export const pubsubCommands = defineCommands(() => ({
  publish,
  pubsubChannels: channels,
  pubsubNumpat: write(int),
  pubsubNumsub: counts,
  pubsubShardchannels: channels,
  pubsubShardnumsub: counts,
  spublish: publish,
})) satisfies () => Record<keyof PubSubCommands<ReplyMode>, unknown>;
