import type { Socket } from "node:net";

/** A member of a Node socket that has no public access. */
interface Inner {
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/**
 * Returns the bytes of the socket's present write that the kernel has not accepted; 0 if Node's internals differ from those
 * since version 12. A socket's public numbers change only when a write is complete. Node's own socket timeouts use the same
 * number.
 */
export function writeQueueSize(socket: Socket): number {
  return (socket as unknown as Inner)._handle?.writeQueueSize ?? 0;
}
