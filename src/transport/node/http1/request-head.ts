import type { HeaderValues } from "../../../protocol/http.js";

/**
 * Returns the head of a POST request between its path and the length of its body. Nearly all requests of a client share it, so
 * connections store it.
 * @throws TypeError if a header contains a control character, or a character outside Latin-1.
 */
export function headLines(host: string, headers: HeaderValues, keep: boolean): string {
  let lines = ` HTTP/1.1\r\nhost: ${host}\r\nconnection: ${keep ? "keep-alive" : "close"}\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    const line = `${name}: ${value}`;
    if (/[^\t\x20-\x7e\x80-\xff]/.test(line))
      throw new TypeError(`header ${name} has a character that a header can't contain`);
    lines += `${line}\r\n`;
  }
  // A flat string: V8 would join a concatenated one again for each request.
  return Buffer.from(`${lines}content-length: `, "latin1").toString("latin1");
}
