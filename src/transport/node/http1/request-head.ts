/**
 * Writes the heads of POST requests. Those of one client differ in nothing but the path and the body's length, so all between
 * them is kept for as long as the next request is of the same kind.
 */
export class RequestHeads {
  private path = "";
  private headers: readonly string[] = [];
  private keep = false;
  private lines: string | undefined;

  constructor(private readonly host: string) {}

  /**
   * @param headers names and values in turn; the same list has the same content.
   * @param length the body's length in bytes.
   * @throws TypeError when the path or a header holds what would end it.
   */
  head(path: string, headers: readonly string[], keep: boolean, length: number): string {
    if (this.lines === undefined || headers !== this.headers || keep !== this.keep) {
      const connection = keep ? "keep-alive" : "close";
      this.lines = ` HTTP/1.1\r\nhost: ${this.host}\r\nconnection: ${connection}\r\n${textOf(headers)}content-length: `;
      this.headers = headers;
      this.keep = keep;
    }
    if (path !== this.path) {
      if (/[^\x21-\x7e]/.test(path)) throw new TypeError("the path holds white space or a control character");
      this.path = path;
    }
    return `POST ${path}${this.lines}${length}\r\n\r\n`;
  }
}

/** Lists of headers are made once per client, and so is their text. */
const texts = new WeakMap<readonly string[], string>();

function textOf(headers: readonly string[]): string {
  let text = texts.get(headers);
  if (text !== undefined) return text;
  text = "";
  for (let i = 0; i < headers.length; i += 2) {
    const line = `${headers[i]}: ${headers[i + 1]}`;
    if (/[^\t\x20-\x7e\x80-\xff]/.test(line))
      throw new TypeError(`header ${headers[i]} holds a control character`);
    text += `${line}\r\n`;
  }
  texts.set(headers, text);
  return text;
}
