import type { BenchClient, Endpoint } from "../client/bench-client.js";
import { RawConnection } from "../client/raw-connection.js";

/** The lower bound: prepared requests on sockets; responses are read only to find their end. */
export default {
  name: "raw",
  label: "raw socket",
  note: "The raw socket is the lower bound: it sends a prepared request and reads the response only to find its end.",
  order: 9,
  reference: true,
  protocol: "http",
  connect: (options) => {
    const { keepAlive, url, token } = options;
    const { port, protocol } = new URL(url);
    const auth = { protocol: "http", token } as const;
    const open = () => RawConnection.open({ port: Number(port), tls: protocol === "https:", auth });
    const idle: Promise<RawConnection>[] = keepAlive ? [open()] : [];
    // A failed connect rejects the command that needs it.
    idle[0]?.catch(() => {});
    const requests = new Map<string, string>();
    const send = async (body: string, route = ""): Promise<Buffer> => {
      const key = route + body;
      const request = requests.get(key) ?? requestOf(options, body, route);
      requests.set(key, request);
      const opened = idle.pop() ?? open();
      const connection = await opened;
      const response = await connection.exchange(request, missingOf);
      if (keepAlive) idle.push(opened);
      else connection.close();
      return response;
    };
    const command = (...args: string[]) => send(JSON.stringify(args));
    const bytes = async (key: string) => bulkOf(await command("GET", key));
    return {
      get: async (key) => (await bytes(key))?.toString() ?? null,
      set: (key, value) => command("SET", key, value),
      incr: async (key) => Number(/:(\d+)\r\n$/.exec((await command("INCR", key)).toString())?.[1]),
      hgetall: (key) => command("HGETALL", key),
      ping: () => command("PING"),
      pipeline: async (keys) => {
        const response = await send(JSON.stringify(keys.map((key) => ["GET", key])), "pipeline");
        return [bulkOf(response.subarray(response.lastIndexOf("$")))?.toString() ?? null];
      },
      bytes,
      close: async () => {
        for (const opened of idle.splice(0)) (await opened).close();
      },
    };
  },
} satisfies BenchClient;

function requestOf({ url, token }: Endpoint, body: string, route: string): string {
  return (
    `POST /${route} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${token}\r\n` +
    `upstash-response-format: resp2\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** Returns the bulk string that ends a response; null for the null bulk string. */
function bulkOf(response: Buffer): Buffer | null {
  const head = response.indexOf("\r\n\r\n$");
  const body = head < 0 ? 0 : head + 4;
  if (response.toString("latin1", body, body + 3) === "$-1") return null;
  return response.subarray(response.indexOf("\r\n", body) + 2, response.length - 2);
}

/** Returns how many bytes of a response are missing. Its head arrives in one chunk. */
function missingOf(bytes: Buffer): number {
  const end = bytes.indexOf("\r\n\r\n");
  const at = bytes.indexOf("Content-Length: ") + 16;
  const length = Number(bytes.toString("latin1", at, bytes.indexOf("\r\n", at)));
  return end + 4 + length - bytes.length;
}
