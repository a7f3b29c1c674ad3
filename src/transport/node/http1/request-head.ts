import type { HeaderValues } from "../../../protocol/http.js";

/** Headers are made once per client, and so is their text. */
const texts = new WeakMap<HeaderValues, string>();

/**
 * Returns the head of a POST request.
 * @param length the body's length in bytes.
 * @throws TypeError when the path or a header holds what would end it.
 */
export function requestHead(
  path: string,
  host: string,
  headers: HeaderValues,
  keep: boolean,
  length: number,
): string {
  if (/[^\x21-\x7e]/.test(path)) throw new TypeError("the path holds white space or a control character");
  const text = texts.get(headers) ?? textOf(headers);
  return `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${keep ? "keep-alive" : "close"}\r\n${text}content-length: ${length}\r\n\r\n`;
}

function textOf(headers: HeaderValues): string {
  let text = "";
  for (const [name, value] of Object.entries(headers)) {
    const line = `${name}: ${value}\r\n`;
    if (/[^\t\x20-\x7e\x80-\xff]/.test(line.slice(0, -2)))
      throw new TypeError(`header ${name} holds a control character`);
    text += line;
  }
  texts.set(headers, text);
  return text;
}
