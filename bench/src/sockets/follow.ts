import { setTimeout as pause } from "node:timers/promises";
import { ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2, type KernelSocket, kernelSockets } from "./kernel.js";

const SAMPLE_MS = 100;
/** The longest wait in ms until a function has connected and the server has closed its connections. */
const CLOSE_MS = 60_000;

/** The port of a socket's other end, seen from the server at `port`. */
const peerOf = ({ localPort, remotePort }: KernelSocket, port: number) =>
  localPort === port ? remotePort : localPort;

/** Returns the ports of all sockets at a server that exist now: those of its clients, and 0 for its own that listens. */
export const peersAt = (port: number, read = kernelSockets): ReadonlySet<number> =>
  new Set(read(port).map((socket) => peerOf(socket, port)));

/**
 * Follows the first connections to a server until it has closed its sockets and none of them is in FIN_WAIT_2. A connection that ended
 * before it was seen is found by its socket in TIME_WAIT.
 * @param limitMs the longest time in FIN_WAIT_2
 * @param others ports of clients that are not followed
 * @returns the time in ms until no socket of the server was in ESTABLISHED, and for which one was seen in FIN_WAIT_2
 * @throws if there is no connection, or if the server does not close it, within a minute
 */
export async function followClosed(
  port: number,
  limitMs: number,
  others: ReadonlySet<number>,
  read: (port: number) => readonly KernelSocket[] = kernelSockets,
) {
  const began = performance.now();
  let peers: ReadonlySet<number> | undefined;
  let [closedMs, from, to] = [Number.NaN, Number.NaN, Number.NaN];
  for (;;) {
    const sockets = read(port).filter((socket) => !others.has(peerOf(socket, port)));
    const ms = performance.now() - began;
    if (sockets.length > 0) peers ??= new Set(sockets.map((socket) => peerOf(socket, port)));
    const served = sockets.filter((each) => each.localPort === port && peers?.has(each.remotePort));
    const states = new Set(served.map(({ state }) => state));
    if (peers && !states.has(ESTABLISHED) && Number.isNaN(closedMs)) closedMs = ms;
    if (states.has(FIN_WAIT_2)) [from, to] = [Number.isNaN(from) ? ms : from, ms];
    const finWaitMs = Number.isNaN(from) ? 0 : to - from;
    // The acknowledgement of the FIN may be delayed.
    const isOver = !states.has(FIN_WAIT_1) && !states.has(FIN_WAIT_2);
    if (!Number.isNaN(closedMs) && (isOver || finWaitMs >= limitMs)) return { closedMs, finWaitMs };
    if (Number.isNaN(closedMs) && ms > CLOSE_MS) {
      const problem = peers ? "did not close its connections" : "has no connection to follow";
      throw new Error(`The server on port ${port} ${problem} within ${CLOSE_MS / 1_000} s.`);
    }
    await pause(SAMPLE_MS);
  }
}
