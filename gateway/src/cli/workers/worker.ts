import cluster from "node:cluster";
import { connect, type OnReadOpts, type Socket } from "node:net";
import type { Registry } from "prom-client";
import type { StreamChange, StreamReply } from "../../api/stream-change.js";
import { type Gateway, startGateway } from "../../create.js";
import type { HttpServer } from "../../http/server.js";
import { logUncaught } from "../../log/fatal.js";
import { createLog } from "../../log/log.js";
import { resolveSettings } from "../../settings/options.js";
import type { TracedCommand } from "../../trace/traced-command.js";
import { type FromWorker, Requests, type SharedEngine, type ToWorker } from "./messages.js";

/** Runs this process as one of several behind one port, on messages of its parent, until a message closes it. */
export function runWorker(): void {
  let gateway: Promise<Gateway> | undefined;
  let server: HttpServer | undefined;
  let numbers: Registry | undefined;
  const requests = new Requests();
  const tell = (message: FromWorker) => {
    // A parent that has just ended needs no message any more.
    if (process.connected) process.send!(message, undefined, undefined, () => {});
  };
  let changeStream: ((change: StreamChange) => Promise<StreamReply>) | undefined;
  const start = async ({ options, engine, trace, workers }: Extract<ToWorker, { kind: "start" }>) => {
    try {
      logUncaught(createLog(resolveSettings(options).logLevel));
      const given = {
        ...options,
        ...(engine && { engine: reach(engine) }),
        ...(trace && { onCommand: (command: TracedCommand) => tell({ kind: "command", command }) }),
      };
      gateway = startGateway(given, {
        workers,
        worker: cluster.worker!.id,
        relay: (to, change) => requests.ask((id) => tell({ kind: "change", id, to, change })),
        onServer: (own) => {
          server = own;
        },
        onStreams: (change) => {
          changeStream = change;
        },
        metrics: () => requests.ask((id) => tell({ kind: "metrics", id })),
        onMetrics: (own) => {
          numbers = own;
        },
      });
      const { url, token, engine: description, data, problem, console } = await gateway;
      tell({ kind: "ready", gateway: { url, token, engine: description, data, problem, console } });
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      tell({ kind: "failed", message, code });
    }
  };
  const close = async () => {
    await (await gateway?.catch(() => undefined))?.close();
    process.exit(0);
  };
  process.on("message", (message: ToWorker, socket?: Socket) => {
    if (message.kind === "connection") {
      // If a connection ends before it arrives, the message comes without a socket.
      if (socket) server!.enter(socket);
      tell({ kind: "taken" });
    } else if (message.kind === "start") void start(message);
    else if (message.kind === "drain") void server?.drain(0);
    else if (message.kind === "close") void close();
    else if (message.kind === "answer") requests.answer(message);
    else {
      const { id } = message;
      const reply = message.kind === "change" ? changeStream?.(message.change) : numbers?.getMetricsAsJSON();
      void reply?.then((each: unknown) => tell({ kind: "answer", id, reply: each }));
    }
  });
  process.channel?.ref();
  process.on("disconnect", () => void close());
  // A terminal sends these to every process of the group. The parent closes the workers.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  tell({ kind: "listening" });
}

function reach({ description, socket }: SharedEngine) {
  return {
    description,
    connect: (onread?: OnReadOpts) => connect({ path: socket, onread }),
    close: async () => {},
  };
}
