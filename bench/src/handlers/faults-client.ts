import { client, options } from "../client/function-client.js";
import { createHandler } from "../faults/calls.js";

/** A client as its user writes it: nothing is caught, nothing is repeated by hand. */
export const handler = createHandler((endpoint) => client.connect({ ...options, ...endpoint }));
