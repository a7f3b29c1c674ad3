import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { inChunks } from "./in-chunks.js";

/** Members of a Node socket that have no public access. */
interface Inner {
  _handle?: { useUserBuffer?: unknown } | null;
  _server?: object | null;
}

/**
 * Takes over a socket that a server has accepted and not begun to read (`pauseOnConnect`), and hands on what it reads.
 * Returns the socket to use from now on. Node has a socket read into a buffer of ours (`onread`) only where it made the
 * connection; an accepted one has to be wrapped anew for that. One with TLS is used as it is, and so is one of which
 * something was read before, and any other where Node's inside is not what it has been since version 12.
 */
export function adopt(accepted: Socket, onChunk: (chunk: Buffer) => void): Socket {
  const inner = accepted as unknown as Inner;
  const { _handle: handle, _server: server } = inner;
  const isUntouched = accepted.bytesRead === 0 && !(accepted instanceof TLSSocket);
  if (!isUntouched || typeof handle?.useUserBuffer !== "function" || !server) {
    accepted.on("data", onChunk);
    accepted.resume();
    return accepted;
  }
  inner._handle = null;
  inner._server = null;
  const options = { handle, allowHalfOpen: true, onread: inChunks(onChunk) };
  const socket = new Socket(options);
  // The server waits for its connections when it closes.
  Object.assign(socket, { server, _server: server });
  return socket;
}
