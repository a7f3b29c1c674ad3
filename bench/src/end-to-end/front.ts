import { createServer } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { json, text } from "node:stream/consumers";
import { type Certificate, type Instance, startNetworkProxy } from "warmline-testbed";

/** An item as it is put into a table: some attributes of a customer. */
export const ITEM = JSON.stringify({
  id: "b2c1d9c8-9c43-4b0e-8d0c-3f3f2a3f6a53",
  name: "Ada Lovelace",
  email: "ada@example.com",
  address: { street: "12 St James's Square", city: "London", country: "GB" },
  orders: Array.from({ length: 5 }, (_, at) => ({ number: 1_000 + at, total: 19.9, paid: at % 2 === 0 })),
});

/** Starts an HTTP endpoint in front of an instance, as an API gateway: each request is one invocation. It is reached over TLS. */
export async function startFront(instance: Instance, rttMs: number, tls: Certificate) {
  type Invocation = Awaited<ReturnType<Instance["invoke"]>>;
  let invocation: Promise<Invocation> | undefined;
  const server = createServer(async (incoming, response) => {
    invocation = instance.invoke(await json(incoming));
    // The platform thaws a frozen instance with its event waiting.
    await instance.thaw();
    const { result, error } = await invocation;
    response.writeHead(error ? 502 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(error ?? result));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const proxy = await startNetworkProxy({ to: { port }, rttMs, tls });
  return {
    /**
     * Sends an event from outside over a new connection, as curl does.
     * Returns the invocation, and the time in ms until the whole response has arrived.
     * @throws if the invocation fails
     */
    call: async (event: unknown): Promise<Invocation & { readonly outside: number }> => {
      const beganAt = performance.now();
      const { status, body } = await post(proxy.url, tls.cert, JSON.stringify(event));
      const outside = performance.now() - beganAt;
      if (status !== 200) throw new Error(`The endpoint responded ${status}: ${body}\n${instance.output}`);
      return { ...(await invocation!), outside };
    },
    close: async () => {
      await proxy.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function post(url: string, ca: string, body: string): Promise<{ status?: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      method: "POST",
      agent: false,
      ca,
      headers: { "Content-Length": Buffer.byteLength(body) },
    };
    const sent = request(url, options, (response) => {
      resolve(text(response).then((body) => ({ status: response.statusCode, body })));
    });
    sent.on("error", reject).end(body);
  });
}
