import { setTimeout as pause } from "node:timers/promises";
import { ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2, type KernelSocket, kernelSockets } from "./kernel.js";

/** The time between two reads of the kernel's sockets in ms. */
const SAMPLE_MS = 100;
/** The longest wait in ms until the server closes its sockets. */
const CLOSE_MS = 30_000;

/** Returns the remote ports of the sockets that a server has in ESTABLISHED. */
export const establishedAt = (port: number, read: () => readonly KernelSocket[] = kernelSockets) =>
  new Set(
    read()
      .filter((socket) => socket.localPort === port && socket.state === ESTABLISHED)
      .map(({ remotePort }) => remotePort),
  );

/**
 * Follows the sockets that a server has in ESTABLISHED now, until it has closed them and none is left in FIN_WAIT_2.
 * Later connections do not count.
 * @param limitMs the longest time in FIN_WAIT_2
 * @param others remote ports of sockets that are not followed
 * @returns the time in ms until none of them was in ESTABLISHED, and that from the acknowledgement of their FIN until none was in
 * FIN_WAIT_2, or until the limit
 * @throws if there is none, or if the server does not close them within 30 s
 */
export async function followClosed(
  port: number,
  limitMs: number,
  others: ReadonlySet<number>,
  read: () => readonly KernelSocket[] = kernelSockets,
) {
  const began = performance.now();
  const inState = (state: string) =>
    read().filter((socket) => socket.localPort === port && socket.state === state);
  const remotePorts = new Set([...establishedAt(port, read)].filter((remotePort) => !others.has(remotePort)));
  if (remotePorts.size === 0) throw new Error(`The server on port ${port} has no connection to follow.`);
  const until = async (state: string, limit: number) => {
    const since = performance.now();
    while (inState(state).some(({ remotePort }) => remotePorts.has(remotePort))) {
      if (performance.now() - since >= limit) return false;
      await pause(SAMPLE_MS);
    }
    return true;
  };
  if (!(await until(ESTABLISHED, CLOSE_MS)))
    throw new Error(`The server on port ${port} did not close its connections within ${CLOSE_MS / 1_000} s.`);
  const closedMs = performance.now() - began;
  // The acknowledgement of the FIN may be delayed.
  await until(FIN_WAIT_1, CLOSE_MS);
  const acknowledged = performance.now();
  await until(FIN_WAIT_2, limitMs);
  return { closedMs, finWaitMs: performance.now() - acknowledged };
}
