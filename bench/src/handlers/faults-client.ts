import { createHandler } from "../faults/calls.js";
import { client, options } from "../function-client.js";

/** A client as its user writes it: nothing is caught, nothing is repeated by hand. */
export const handler = createHandler(
  (endpoint) => client.connect({ ...options, ...endpoint }),
  (connected) => connected,
);
