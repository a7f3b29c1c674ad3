import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { describe } from "vitest";
import { startRedis } from "warmline-testbed";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";

/** An engine whose clients connect to it without a gateway. */
export interface BareEngine {
  open(): Duplex;
  stop(): Promise<void>;
}

async function startEmbedded(): Promise<BareEngine> {
  const engine = await startEmbeddedEngine();
  return { open: () => engine.connect(), stop: () => engine.close() };
}

async function startReal(): Promise<BareEngine> {
  const server = await startRedis();
  return { open: () => connect(server.path!), stop: () => server.stop() };
}

/** Describes a suite on each engine, without a gateway. The name is continued by "on" and the engine. */
export function describeBareEngines(name: string, suite: (start: () => Promise<BareEngine>) => void): void {
  describe(`${name} on a real Redis`, { tags: "redis-server" }, () => suite(startReal));
  describe(`${name} on the embedded engine`, () => suite(startEmbedded));
}
