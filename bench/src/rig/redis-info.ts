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
