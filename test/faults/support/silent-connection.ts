import { afterEach, beforeEach } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { RawEndpoint, resp2Response } from "../../support/endpoint.js";

/** Gives each test of a file an endpoint that responds 1 to every request, clients of it, and a fault of connection 1. */
export function useEndpoint() {
  let endpoint: RawEndpoint;
  const respond = ({ socket }: Parameters<RawEndpoint["onRequest"]>[0]) =>
    void socket.write(resp2Response(":1\r\n"));
  const client = (options: RedisOptions = {}) => new Redis({ url: endpoint.url, token: "t", ...options });
  beforeEach(async () => {
    endpoint = await RawEndpoint.startForTest();
    endpoint.onRequest = respond;
  });
  afterEach(() => client().close());
  return {
    get endpoint() {
      return endpoint;
    },
    client,
    /** Requests on connection 1 get no response from now on, as after a middlebox has dropped the flow. */
    silenceFirst() {
      endpoint.onRequest = (request) => request.connection > 1 && respond(request);
    },
  };
}
