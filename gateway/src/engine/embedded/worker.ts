// The thread that the embedded engine runs in. Started by embedded.ts, never imported.

import { parentPort, workerData } from "node:worker_threads";
import { attachSession, createRedisCommandExecutor, setLuaWasmLoadOptions } from "js-redis-server/core";
import { createGuards } from "./guards.js";
import { RecoveringState } from "./lua-state.js";
import type { ConnectMessage, WorkerInput } from "./messages.js";
import { ownCommands } from "./own-commands.js";
import { PortTransport } from "./port-transport.js";

/** Expired keys are never seen; how often they are cleared away is about memory only, and walks over all keys. */
const SWEEP_MS = 1000;

const { limits, heartbeat, heartbeatMs } = workerData as WorkerInput;

setLuaWasmLoadOptions({ limits: { maxFuel: limits.maxScriptSteps } });
const state = new RecoveringState({ databaseCount: 16, activeExpiryIntervalMs: SWEEP_MS });
const executor = createRedisCommandExecutor({
  extraCommands: ownCommands(limits),
  policies: [createGuards(limits)],
});

parentPort?.on("message", ({ port }: ConnectMessage) => {
  const transport = new PortTransport(port, limits.maxStringBytes);
  const { session, done } = attachSession(transport, { state, executor });
  void done.then(() => transport.close());
  // Ends a blocking command that still waits, so that it takes no element for a reader that is gone.
  transport.on("close", () => session.close());
});

const beats = new Int32Array(heartbeat);
setInterval(() => Atomics.add(beats, 0, 1), heartbeatMs);
