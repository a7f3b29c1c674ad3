import { handlerOf, type TrialClient } from "../faults/calls.js";
import { connect } from "../function-client.js";

/** A client that leaves faults to its user: nothing is caught, nothing sent again by hand. */
export const handler = handlerOf(
  (endpoint) => connect({ ...endpoint, keepAlive: true }),
  (client) =>
    ({ ...client, hgetall: () => Promise.reject(new Error("not used here")) }) satisfies TrialClient,
);
