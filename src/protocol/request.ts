import type { CommandArg } from "./args.js";
import { concat, toBytes, toHex } from "./bytes.js";

/** Encodes commands as RESP2, one after another. warmline-gateway accepts this besides JSON. */
export function toResp2(commands: readonly (readonly CommandArg[])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const argv of commands) {
    let text = `*${argv.length}\r\n`;
    for (const arg of argv) {
      const bytes = toBytes(arg);
      parts.push(toBytes(`${text}$${bytes.length}\r\n`), bytes);
      text = "\r\n";
    }
    parts.push(toBytes("\r\n"));
  }
  return concat(parts);
}

/**
 * Encodes a command as a path, with its last argument as the body: an endpoint that does not accept RESP2 requests accepts bytes in
 * this form. Bytes in other arguments are percent-encoded.
 */
export function toPath(argv: readonly CommandArg[]): { path: string; body: Uint8Array } {
  const path = argv
    .slice(0, -1)
    .map((arg) => (typeof arg === "string" ? encodeURIComponent(arg) : toHex(arg, "%")))
    .join("/");
  return { path, body: toBytes(argv.at(-1)!) };
}
