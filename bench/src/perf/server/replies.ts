/** A reply before encoding: `{ status }` is a simple string, `{ map }` a map of RESP3, a Buffer a bulk string. */
export type Reply =
  | { readonly status: string }
  | { readonly map: Readonly<Record<string, Reply>> }
  | number
  | null
  | Buffer
  | readonly Reply[];

const GREETING = Buffer.from("hello from a warm connection");
const OK: Reply = { status: "OK" };

/** The fixed reply to each command; nothing is stored. */
const REPLIES: Record<string, (args: readonly string[]) => Reply> = {
  PING: () => ({ status: "PONG" }),
  GET: ([, key]) => storedUnder(key!),
  SET: () => OK,
  INCR: () => 42,
  // Commands with which clients over TCP begin a connection.
  INFO: () => Buffer.from("redis_version:7.0.0\r\nloading:0\r\n"),
  CLIENT: () => OK,
  QUIT: () => OK,
  HELLO: ([, version]) =>
    version === "3"
      ? { map: { server: Buffer.from("redis"), version: Buffer.from("7.0.0"), proto: 3 } }
      : ["server", "redis", "version", "7.0.0"].map((text) => Buffer.from(text)),
};

/** @throws Error for a command that the benches do not send */
export function replyTo(args: readonly unknown[]): Reply {
  const [name, ...rest] = args.map(String);
  const reply = REPLIES[name!.toUpperCase()];
  if (!reply) throw new Error(`The fixed server has no reply to ${name}`);
  return reply([name!, ...rest]);
}

/** The key determines the value: `text:BYTES`, `json:BYTES`, `none`, or anything else for a short greeting. */
function storedUnder(key: string): Reply {
  const [kind, bytes] = key.split(":");
  if (kind === "text") return Buffer.alloc(Number(bytes), "warm line ");
  if (kind === "json") return Buffer.from(jsonOf(Number(bytes)));
  return kind === "none" ? null : GREETING;
}

const TEXT = "Ada Lovelace wrote the first program for a machine that was never built. ".repeat(8);

/** Mostly text, as documents are. */
const record = (id: number) => ({
  id,
  name: `user ${id}`,
  active: id % 2 === 0,
  tags: ["a", "b"],
  about: TEXT,
});

/** Returns a JSON array of about `bytes` bytes. */
function jsonOf(bytes: number): string {
  const items: string[] = [];
  for (let length = 2; length < bytes; length += items.at(-1)!.length + 1)
    items.push(JSON.stringify(record(items.length)));
  return `[${items.join(",")}]`;
}

/** Encodes a reply as RESP2, a map as RESP3. */
export function resp2(reply: Reply): Buffer {
  if (reply === null) return Buffer.from("$-1\r\n");
  if (typeof reply === "number") return Buffer.from(`:${reply}\r\n`);
  if (Buffer.isBuffer(reply))
    return Buffer.concat([Buffer.from(`$${reply.length}\r\n`), reply, Buffer.from("\r\n")]);
  if (Array.isArray(reply)) return Buffer.concat([Buffer.from(`*${reply.length}\r\n`), ...reply.map(resp2)]);
  if ("map" in reply) {
    const pairs = Object.entries(reply.map).flatMap(([key, value]) => [
      resp2(Buffer.from(key)),
      resp2(value),
    ]);
    return Buffer.concat([Buffer.from(`%${pairs.length / 2}\r\n`), ...pairs]);
  }
  return Buffer.from(`+${(reply as { status: string }).status}\r\n`);
}

/** Encodes a `result` of the REST protocol; strings in base64 if requested, except a top-level status. */
export function jsonResult(reply: Reply, base64: boolean): unknown {
  if (reply === null || typeof reply === "number") return reply;
  if (Buffer.isBuffer(reply)) return reply.toString(base64 ? "base64" : "utf8");
  if (Array.isArray(reply)) return reply.map((item) => jsonResult(item, base64));
  return (reply as { status: string }).status;
}
