// A process in its own network namespace. It opens and closes connections at a fixed rate, and prints the result.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import type { BenchClient } from "../client/bench-client.js";
import { timeWaitCounter } from "../sockets/kernel.js";
import { everyMs, runAt } from "../util/schedule.js";

export interface TwReuseWork {
  readonly reuse: 0 | 1;
  /** Number of local ports that connections may use. */
  readonly ports: number;
  readonly perSecond: number;
  readonly seconds: number;
  /** The file of a client that keeps its connections. Absent: a connection for each request. */
  readonly client?: string;
}

/** Sockets in TIME_WAIT at the end, and how many connects failed and succeeded. */
export type TwReuseResult = Readonly<Record<"timeWait" | "failed" | "opened", number>>;

const { reuse, ports, perSecond, seconds, client }: TwReuseWork = JSON.parse(process.argv[2]!);
const FIRST_PORT = 32_768;
const PORT = 8_079;
const set = (name: string, value: string) => writeFileSync(`/proc/sys/net/ipv4/${name}`, value);

set("tcp_tw_reuse", String(reuse));
set("ip_local_port_range", `${FIRST_PORT} ${FIRST_PORT + ports - 1}`);
const server = createServer(async (request, response) => {
  const body = await json(request).catch(() => null);
  const missing = { result: null };
  const reply = request.url === "/pipeline" ? (body as unknown[]).map(() => missing) : missing;
  response.setHeader("Content-Type", "application/json").end(JSON.stringify(reply));
});
await once(server.listen(PORT, "127.0.0.1"), "listening");
const count = timeWaitCounter(new Set([PORT]));

const openOnce = async () => {
  const socket = connect(PORT, "127.0.0.1");
  await once(socket, "connect");
  socket.end();
  socket.resume();
  await once(socket, "close");
};
const benchClient: BenchClient | undefined = client && (await import(pathToFileURL(client).href)).default;
const kept = benchClient?.connect({ url: `http://127.0.0.1:${PORT}`, token: "none", keepAlive: true });
const call = kept ? () => kept.get("greeting") : openOnce;

/** Whether a connect failed because no local port was free. */
const lacksPort = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as NodeJS.ErrnoException).code === "EADDRNOTAVAIL" || lacksPort(error.cause));

let [failed, opened] = [0, 0];
await runAt(everyMs(1_000 / perSecond, seconds * 1_000), () =>
  call().then(
    () => opened++,
    (error) => {
      if (!lacksPort(error)) throw error;
      failed++;
    },
  ),
);
const result: TwReuseResult = { timeWait: count(), failed, opened };
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
