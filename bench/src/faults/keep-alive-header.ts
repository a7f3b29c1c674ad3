import type { Behaviour } from "warmline-testbed";

/**
 * Changes the limit that responses announce in their Keep-Alive header.
 * @param seconds the announced limit; null removes the header. The header has whole seconds
 */
export function keepAliveHeader(seconds: number | null): Pick<Behaviour, "exchange"> {
  const header = seconds === null ? "" : `Keep-Alive: timeout=${Math.floor(seconds)}\r\n`;
  return {
    exchange: () => ({
      response: (connection, { bytes, first }) => {
        if (!first) connection.toClient(bytes);
        else {
          const text = bytes.toString("latin1").replace(/Keep-Alive: timeout=\d+\r\n/i, header);
          connection.toClient(Buffer.from(text, "latin1"));
        }
      },
    }),
  };
}
