/**
 * Writes the heads of POST requests. Those of one client differ in nothing but the body's length, so all before that
 * is kept for as long as the next request is of the same kind.
 */
export class RequestHeads {
  private path = "";
  private headers: readonly string[] = [];
  private keep = false;
  private begun: string | undefined;

  constructor(private readonly host: string) {}

  /**
   * @param headers names and values in turn; the same list has the same content.
   * @param length the body's length in bytes.
   * @throws TypeError when the path or a header holds what would end it.
   */
  head(path: string, headers: readonly string[], keep: boolean, length: number): string {
    if (this.begun === undefined || headers !== this.headers || path !== this.path || keep !== this.keep) {
      this.begun = begin(path, this.host, headers, keep);
      this.headers = headers;
      this.path = path;
      this.keep = keep;
    }
    return `${this.begun}${length}\r\n\r\n`;
  }
}

function begin(path: string, host: string, headers: readonly string[], keep: boolean): string {
  if (/[^\x21-\x7e]/.test(path)) throw new TypeError("the path holds white space or a control character");
  const connection = keep ? "keep-alive" : "close";
  return `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\n${textOf(headers)}content-length: `;
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
