import { describe, expect, test } from "vitest";
import { startCluster } from "warmline-testbed";
import { type Listening, listen } from "../integration/subscribe/listen.js";
import { beforeTests, sharedByTests } from "../support/lifetime.js";
import { migrate } from "./migrate.js";
import { gatewayAt, keyOfEachSlot, metric, run, sleep, until } from "./support.js";

// Sharded channels are heard of at whichever node serves their slots, also after these have moved or a primary has died.

describe("sharded channels", { tags: "redis-server" }, () => {
  const bySlot = keyOfEachSlot();
  const channels = [0, 100, 200, 6_000, 12_000].map((slot) => bySlot[slot]!);
  const streams: Listening[] = [];
  const cluster = sharedByTests(() => startCluster({ nodeTimeoutMs: 5_000 }));
  const gateway = sharedByTests(() => gatewayAt(cluster.url));
  beforeTests(async (shared) => {
    shared({ close: () => streams.forEach((stream) => void stream.close()) });
    // By now it has found out that this is a cluster.
    await run(gateway, "DBSIZE");
  });

  const messages = (stream: Listening) => stream.data.filter((line) => line.startsWith("smessage,"));
  /** Publishes to each channel until each message has arrived. */
  const heard = async (stream: Listening, text: string) => {
    for (const channel of channels) {
      await until(async () => {
        await run(gateway, "SPUBLISH", channel, text);
        await sleep(20);
        return messages(stream).includes(`smessage,${channel},${text}`);
      });
    }
  };

  test("one stream carries sharded channels of all nodes, on one connection to each node", async () => {
    const stream = await listen(gateway, `/ssubscribe/${channels.join("/")}`);
    streams.push(stream);
    expect(stream.status).toBe(200);
    for (const channel of channels) expect(await run(gateway, "SPUBLISH", channel, "once")).toBe(1);
    await until(() => messages(stream).length === channels.length);
    expect(messages(stream)).toEqual(
      expect.arrayContaining(channels.map((channel) => `smessage,${channel},once`)),
    );
    expect(stream.text).not.toContain("event: gap");
    expect(await metric(gateway, 'upstream_connections{use="stream"}')).toBe(3);
  });

  test("sharded channels follow their slots: a gap is reported, and no subscription is left behind", async () => {
    const [first, second, third] = cluster.nodes;
    const [stream] = streams as [Listening];
    await migrate(first!, second!, [0, 100], [first!, second!, third!]);
    await heard(stream, "after the move");
    expect(stream.text).toContain("event: gap");
    expect(stream.over).toBeUndefined();
    // A listener that comes later finds the channel where it is, on the same subscription.
    const late = await listen(gateway, `/ssubscribe/${channels[0]}`);
    streams.push(late);
    expect(await run(gateway, "SPUBLISH", channels[0], "to both")).toBe(1);
    await until(() => messages(late).length === 1 && messages(stream).at(-1)!.endsWith("to both"));
    expect(await first!.command("PUBSUB", "SHARDCHANNELS")).toEqual(
      expect.not.arrayContaining([channels[0]]),
    );
    expect(await second!.command("PUBSUB", "SHARDNUMSUB", channels[0]!)).toEqual([channels[0], 1]);
  });

  test("sharded channels of a dead primary are received from its replica", async () => {
    const [stream] = streams as [Listening];
    const gaps = () => stream.text.split("event: gap").length;
    const before = gaps();
    await cluster.nodes[0]!.kill();
    await heard(stream, "after the failover");
    expect(gaps()).toBeGreaterThan(before);
    expect(stream.over).toBeUndefined();
  }, 120_000);

  test("sharded channels are unsubscribed with their last listener", async () => {
    for (const stream of streams.splice(0)) stream.close();
    const [, second, third] = cluster.nodes;
    await until(async () => {
      const left = await Promise.all(
        [second!, third!].map((node) => node.command("PUBSUB", "SHARDCHANNELS")),
      );
      return left.flat().length === 0;
    });
  });
});
