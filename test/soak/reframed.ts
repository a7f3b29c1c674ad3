import type { Fault, ProxiedConnection, ResponsePart } from "warmline-testbed";

/** The response is held back until it is whole, and `pass` decides what of it goes on. */
function whole(pass: (connection: ProxiedConnection, response: Buffer) => void): Fault {
  const parts: Buffer[] = [];
  return {
    response(connection: ProxiedConnection, part: ResponsePart) {
      parts.push(part.bytes);
      if (part.last) pass(connection, Buffer.concat(parts));
    },
  };
}

const headOf = (response: Buffer) => response.indexOf("\r\n\r\n") + 4;

/** The response comes twice, in one write. */
export const twice = (): Fault =>
  whole((connection, response) => connection.toClient(Buffer.concat([response, response])));

/** The head announces a body that is `difference` bytes longer than the real one (shorter, if negative). Then nothing more is sent. */
export const wrongLength = (difference: number): Fault =>
  whole((connection, response) => {
    const head = response.toString("latin1", 0, headOf(response));
    const wrong = head.replace(
      /^(content-length: *)(\d+)/im,
      (_, name, length) => `${name}${Math.max(0, Number(length) + difference)}`,
    );
    connection.toClient(Buffer.concat([Buffer.from(wrong, "latin1"), response.subarray(headOf(response))]));
  });

/** The body comes in chunks of `size` bytes: all of them, or if `chunks` is given, that many and then a FIN. */
export const chunked = (size: number, chunks?: number): Fault =>
  whole((connection, response) => {
    const head = response.toString("latin1", 0, headOf(response));
    connection.toClient(
      Buffer.from(head.replace(/^content-length:.*$/im, "Transfer-Encoding: chunked"), "latin1"),
    );
    const body = response.subarray(headOf(response));
    for (let at = 0, sent = 0; at < body.length; at += size, sent++) {
      if (sent === chunks) {
        connection.close();
        return;
      }
      const chunk = body.subarray(at, at + size);
      connection.toClient(
        Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]),
      );
    }
    connection.toClient(Buffer.from("0\r\n\r\n"));
  });

/** Another head comes before the response's own. */
export const hinted = (): Fault =>
  whole((connection, response) =>
    connection.toClient(
      Buffer.concat([Buffer.from("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), response]),
    ),
  );

/** The request reaches the server late, even if the client has cancelled it by then. */
export const held = (ms: number): Fault => ({
  request: (connection, { request }) => void setTimeout(() => connection.toServer(request), ms),
});
