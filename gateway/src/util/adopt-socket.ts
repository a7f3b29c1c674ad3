import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { inChunks } from "./socket-chunks.js";

/** Members of a Node socket that have no public access. */
interface Inner {
  _handle?: { useUserBuffer?: unknown } | null;
  _server?: object | null;
}

/**
 * Takes over an accepted socket that was not read yet (`pauseOnConnect`), and passes its chunks to `onChunk`. Returns the
 * socket to use from now on. Node reads into a buffer of ours (`onread`) only for outgoing connections, so an accepted
 * socket has to be wrapped anew. A socket with TLS, or one that was read before, is used as it is. So is any other if
 * Node's internals are no longer as they have been since version 12.
 */
export function adopt(accepted: Socket, onChunk: (chunk: Buffer) => void): Socket {
  const inner = accepted as unknown as Inner;
  const { _handle: handle, _server: server } = inner;
  const isPlainAndUnread = accepted.bytesRead === 0 && !(accepted instanceof TLSSocket);
  if (!isPlainAndUnread || typeof handle?.useUserBuffer !== "function" || !server) {
    accepted.on("data", onChunk);
    accepted.resume();
    return accepted;
  }
  inner._handle = null;
  inner._server = null;
  const options = { handle, allowHalfOpen: true, onread: inChunks(onChunk) };
  const socket = new Socket(options);
  // It stays one of its server's connections, for which `server.close()` waits.
  Object.assign(socket, { server, _server: server });
  return socket;
}
