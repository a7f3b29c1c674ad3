// The thread that the embedded engine runs in. Started by embedded.ts, never imported.

import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import {
  ClientSession,
  createRedisCommandExecutor,
  Resp2SessionAdapter,
  setLuaWasmLoadOptions,
} from "js-redis-server/core";
import { correctReplies } from "./commands/replies.js";
import { createGuards, type ExecutionPolicy } from "./guards.js";
import { extendDatabases } from "./keyspace.js";
import { EngineState } from "./lua-state.js";
import type { EngineMessage, SavingMessage, WorkerInput } from "./messages.js";
import { addOwnCommands } from "./own-commands.js";
import { PortTransport } from "./port-transport.js";
import { replacePatternMatching } from "./pub-sub.js";
import { HEARTBEAT_MS, Pulse } from "./pulse.js";
import { Saver } from "./saver.js";
import { replaceTrackedMethods } from "./tracked-values.js";
import { WaitingClients } from "./waiting-clients.js";

/**
 * Interval in ms at which expired keys and fields are deleted. Each time, all with a time to live are visited. No command sees an
 * expired one before that, but a hash whose fields have all expired exists until then, as in Redis.
 */
const SWEEP_MS = 1000;

const { limits, snapshot, ...input } = workerData as WorkerInput;
const pulse = new Pulse(input.pulse);
const beat = () => pulse.beat();
const send = (message: SavingMessage) => parentPort!.postMessage(message);

setLuaWasmLoadOptions({ limits: { maxFuel: limits.maxScriptSteps } });
const state = new EngineState({ databaseCount: 16, activeExpiryIntervalMs: SWEEP_MS });
replaceTrackedMethods();
const waiting = new WaitingClients();
const turnQueue = extendDatabases(state, waiting);
replacePatternMatching(state);
const saver = snapshot === null ? null : openSaver(snapshot);
/** Shows that a long transaction or script goes on, and which command it runs. */
const signsOfLife: ExecutionPolicy = {
  name: "signs of life",
  beforeExecute({ definition }, { monitor }) {
    beat();
    // Commands that a script calls count as part of the script.
    if (!monitor?.defer) pulse.begin(definition.name);
  },
};
const policies = [signsOfLife, createGuards(limits), correctReplies];
const executor = createRedisCommandExecutor({ policies: saver ? [...policies, saver.policy] : policies });
addOwnCommands(executor, limits, waiting);

const transports = new Map<number, PortTransport>();

function openSaver(file: string): Saver | null {
  try {
    const onSaved = (failure: string | null) => send({ kind: "snapshot", failure });
    const opened = new Saver({ state, file, beat, onSaved });
    send({ kind: "loaded" });
    return opened;
  } catch (error) {
    send({ kind: "unreadable", message: (error as Error).message });
    return null;
  }
}

function take(message: EngineMessage): void {
  if (message === "save") {
    void saver?.save().then(() => send({ kind: "saved" }));
    return;
  }
  const { connection, port } = message;
  if (port === null) {
    transports.get(connection)?.close();
    return;
  }
  const transport = new PortTransport(port, limits.maxStringBytes, catchUp);
  transports.set(connection, transport);
  // With one queue for all databases, SELECT in a transaction does not interrupt it.
  const session = new ClientSession({
    server: state,
    executor,
    turnQueue,
    closeConnection: () => transport.close(),
  });
  const done = new Resp2SessionAdapter({ transport, session }).run();
  void done.catch(() => {}).then(() => transport.close());
  // Ends a blocking command that still waits, so that it takes no element for a reader that is gone.
  transport.signal.addEventListener("abort", () => {
    transports.delete(connection);
    session.close();
  });
}

/** Called before a command runs. Closes the connections that were given up before the command was sent. */
function catchUp(): void {
  for (let next = receiveMessageOnPort(parentPort!); next; next = receiveMessageOnPort(parentPort!)) {
    take(next.message);
  }
}

parentPort!.on("message", take);

setInterval(() => {
  pulse.begin("");
  beat();
}, HEARTBEAT_MS);
