import { findRedisServer } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import { GREETING } from "../rig/run-instance.js";
import type { Context } from "../scenario.js";
import { FloodSite, type IdleHeld } from "./measure.js";

/** A flood while active connections are in use. */
export interface FloodCase {
  /** The client of the active connections. Absent: bare sockets. */
  readonly client?: BenchClient;
  readonly idle: IdleHeld;
  /** The site while its session runs. */
  readonly running: { site?: FloodSite };
}
/** The name of the active connections. */
export const nameOf = ({ client }: Pick<FloodCase, "client">) => client?.label ?? "bare sockets";

/** Starts a gateway with the processes of a flood. Returns a function that stops them. */
export async function startSite({ rig, defer }: Context, gatewayArgs: string[]) {
  const redis = findRedisServer() !== undefined;
  const own = await rig({ rttMs: 0, tls: false, redis, gatewayArgs });
  await own.command("SET", "greeting", GREETING);
  const site = await FloodSite.start(own);
  defer(() => site.close());
  const close = async () => {
    site.close();
    await own.close();
  };
  return { site, close };
}
