import { findRedisServer, NO_REDIS } from "warmline-testbed";
import { versionOf } from "./machine.js";
import type { Peer } from "./peer.js";

/** The clients that can run on this machine, and those that cannot. */
export interface Usable {
  readonly peers: readonly Peer[];
  /** Whether one of them needs a Redis that answers over TCP. */
  readonly redis: boolean;
  /** What a reader must know: who was left out and why, and what each client says of itself. */
  readonly notes: readonly string[];
}

/** Leaves out, by name, the clients that need a `redis-server` where there is none. */
export function usable(peers: readonly Peer[]): Usable {
  const found = findRedisServer() !== undefined;
  const kept = peers.filter(({ protocol }) => protocol === "http" || found);
  const out = peers.filter((peer) => !kept.includes(peer)).map(({ label }) => label);
  return {
    peers: kept,
    redis: kept.some(({ protocol }) => protocol === "tcp"),
    notes: [
      ...(out.length > 0 ? [`Left out: ${out.join(", ")}: ${NO_REDIS}.`] : []),
      ...kept.flatMap((peer) => peer.note ?? []),
    ],
  };
}

/** The versions of what was measured. */
export function versionsOf(peers: readonly Peer[]): Record<string, string> {
  const names = [...peers.flatMap((peer) => peer.package ?? []), "warmline-gateway"];
  return Object.fromEntries(names.map((name) => [name, versionOf(name)]));
}
