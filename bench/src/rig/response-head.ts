import type { Behaviour } from "warmline-testbed";

/** Takes the header from the head of a response by which one gateway offers numbers. */
export const withoutNumbers = (head: string): string => head.replace(/^warmline-instance:.*\r\n/im, "");

/** Behaviour of a proxy for HTTP that changes the head of each response. */
export const withHead = (change: (head: string) => string): Pick<Behaviour, "exchange"> => ({
  exchange: () => ({
    response: (connection, { bytes, first }) =>
      connection.toClient(first ? Buffer.from(change(bytes.toString("latin1")), "latin1") : bytes),
  }),
});
