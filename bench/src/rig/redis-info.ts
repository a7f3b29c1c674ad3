import { setTimeout as sleep } from "node:timers/promises";
import type { RedisServer } from "warmline-testbed";

/** Returns a number of INFO, such as `connected_clients` of the section `clients`. */
export async function readInfo(
  redis: Pick<RedisServer, "command">,
  section: string,
  name: string,
): Promise<number> {
  const text = String(await redis.command("INFO", section));
  return Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(text)![1]);
}

/** Resolves once a gateway has the connection on which gateways at one Redis hear of each other. It opens soon after the start. */
export async function gatewayListens(redis: Pick<RedisServer, "command">): Promise<void> {
  const listeners = async () =>
    Number(((await redis.command("PUBSUB", "NUMSUB", "warmline:gateways")) as unknown[])[1]);
  while ((await listeners()) === 0) await sleep(10);
}
