import type { Fault, Link, ResponsePart } from "warmline-testbed";

/** The answer is held back until it is whole, and `pass` decides what of it goes on. */
function whole(pass: (link: Link, answer: Buffer) => void): Fault {
  const parts: Buffer[] = [];
  return {
    response(link: Link, part: ResponsePart) {
      parts.push(part.bytes);
      if (part.last) pass(link, Buffer.concat(parts));
    },
  };
}

const headOf = (answer: Buffer) => answer.indexOf("\r\n\r\n") + 4;

/** The answer comes twice, in one write. */
export const twice = (): Fault => whole((link, answer) => link.toClient(Buffer.concat([answer, answer])));

/** The head says that the body is so many bytes longer, or with a minus shorter, than it is; then nothing more comes. */
export const wrongLength = (difference: number): Fault =>
  whole((link, answer) => {
    const head = answer.toString("latin1", 0, headOf(answer));
    const wrong = head.replace(
      /^(content-length: *)(\d+)/im,
      (_, name, length) => `${name}${Math.max(0, Number(length) + difference)}`,
    );
    link.toClient(Buffer.concat([Buffer.from(wrong, "latin1"), answer.subarray(headOf(answer))]));
  });

/** The body comes in chunks of `size` bytes, of which so many: all where that is undefined, else the end is a FIN. */
export const chunked = (size: number, chunks?: number): Fault =>
  whole((link, answer) => {
    const head = answer.toString("latin1", 0, headOf(answer));
    link.toClient(Buffer.from(head.replace(/^content-length:.*$/im, "Transfer-Encoding: chunked"), "latin1"));
    const body = answer.subarray(headOf(answer));
    for (let at = 0, sent = 0; at < body.length; at += size, sent++) {
      if (sent === chunks) {
        link.close();
        return;
      }
      const chunk = body.subarray(at, at + size);
      link.toClient(
        Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]),
      );
    }
    link.toClient(Buffer.from("0\r\n\r\n"));
  });

/** Another head comes before the answer's own. */
export const hinted = (): Fault =>
  whole((link, answer) =>
    link.toClient(Buffer.concat([Buffer.from("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), answer])),
  );

/** The request reaches the server late, even if the client has given up by then. */
export const held = (ms: number): Fault => ({
  request: (link, { request }) => void setTimeout(() => link.toServer(request), ms),
});
