/** Lists of headers are made once per client, and so is their text. */
const texts = new WeakMap<readonly string[], string>();

/**
 * The head of a POST request.
 * @param length the body's length in bytes.
 * @throws TypeError when the path or a header holds what would end it.
 */
export function requestHead(
  path: string,
  host: string,
  headers: readonly string[],
  keep: boolean,
  length: number,
): string {
  if (/[^\x21-\x7e]/.test(path)) throw new TypeError("the path holds white space or a control character");
  let text = texts.get(headers);
  if (text === undefined) {
    text = headerText(headers);
    texts.set(headers, text);
  }
  const connection = keep ? "keep-alive" : "close";
  return `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\n${text}content-length: ${length}\r\n\r\n`;
}

function headerText(headers: readonly string[]): string {
  let text = "";
  for (let i = 0; i < headers.length; i += 2) {
    const line = `${headers[i]}: ${headers[i + 1]}`;
    if (/[^\t\x20-\x7e\x80-\xff]/.test(line))
      throw new TypeError(`header ${headers[i]} holds a control character`);
    text += `${line}\r\n`;
  }
  return text;
}
