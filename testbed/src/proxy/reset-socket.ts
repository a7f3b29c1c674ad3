import type { Socket } from "node:net";

/**
 * Resets a connection (RST). While its end (FIN) is still being written the kernel takes no reset, and Node would leave
 * the socket open for ever: then it is reset as soon as that is done.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished && !socket.destroyed) {
    socket.once("finish", () => socket.resetAndDestroy());
  } else socket.resetAndDestroy();
}
