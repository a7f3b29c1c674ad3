import type { Behaviour } from "warmline-testbed";

/** Removes the header with which a gateway offers numbers from the head of a response. */
export const withoutNumbers = (head: string): string => head.replace(/^warmline-instance:.*\r\n/im, "");

/** Returns a behaviour of the proxy that applies `change` to the head of each response. */
export const withHead = (change: (head: string) => string): Pick<Behaviour, "exchange"> => ({
  exchange: () => ({
    response: (connection, { bytes, first }) =>
      connection.toClient(first ? Buffer.from(change(bytes.toString("latin1")), "latin1") : bytes),
  }),
});
