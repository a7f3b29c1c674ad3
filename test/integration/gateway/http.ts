import { Agent, type IncomingHttpHeaders, request } from "node:http";
import type { Gateway } from "../../../gateway/src/index.js";

/** A response, whole. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body read as JSON. */
  readonly json: any;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer | readonly unknown[];
  /** The token sent; null for none. Default: the gateway's. */
  readonly token?: string | null;
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
}

const shared = new Agent({ keepAlive: true });

/** Sends a request; a body that is a list goes as JSON. */
export function call(gateway: Gateway, path: string, options: CallOptions = {}): Promise<GatewayResponse> {
  const { body, token = gateway.token, agent = shared, signal } = options;
  const bytes =
    body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const method = options.method ?? (bytes === undefined ? "GET" : "POST");
  const headers: Record<string, string> = { ...options.headers };
  if (token !== null) headers.authorization = `Bearer ${token}`;
  if (bytes !== undefined) headers["content-length"] = String(Buffer.byteLength(bytes));
  return new Promise((resolve, reject) => {
    const req = request(gateway.url + path, { method, headers, agent, signal }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk) => chunks.push(chunk));
      res.on("error", reject);
      res.on("end", () => {
        const whole = Buffer.concat(chunks);
        resolve({
          status: res.statusCode!,
          headers: res.headers,
          bytes: whole,
          text: whole.toString(),
          get json() {
            return JSON.parse(whole.toString());
          },
        });
      });
    });
    req.on("error", reject);
    req.end(bytes);
  });
}

/** Returns one of the gateway's own numbers, such as `streams_open`. @throws if it has none of that name. */
export async function metric(gateway: Gateway, name: string, options?: CallOptions): Promise<number> {
  const { text } = await call(gateway, "/metrics", options);
  const line = text.split("\n").find((each) => each.startsWith(`warmline_gateway_${name} `));
  if (line === undefined) throw new Error(`there is no metric ${name}`);
  return Number(line.split(" ").at(-1));
}

/** Runs one command and returns status and body. */
export async function run(gateway: Gateway, ...args: unknown[]): Promise<any> {
  const { status, json } = await call(gateway, "/", { body: args });
  return status === 200 ? json.result : { status, ...json };
}
