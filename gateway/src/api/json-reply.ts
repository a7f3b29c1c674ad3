import { RespReader } from "../resp/reader.js";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  CR,
  DOLLAR,
  MINUS,
  OPEN_BRACKET,
  PLUS,
  STAR,
} from "../util/bytes.js";
import { JsonWriter } from "./json-writer.js";

/** Small responses share its allocations. Each function below begins and ends a document. */
const out = new JsonWriter();

/**
 * Converts a RESP2 reply to the body of a response, `{"result":...}` or `{"error":"..."}`, from bytes to bytes.
 * In base64 every string but a top-level status `OK` and error texts is encoded. An error inside an array
 * becomes an object `{"error":"..."}`.
 */
export function jsonReply(reply: Buffer, base64: boolean): Buffer {
  out.begin(reply.length);
  writeResult(new RespReader(reply), base64);
  return out.end();
}

/** Converts the replies of a pipeline to the body `[{"result":...},{"error":"..."}]`. */
export function jsonReplies(replies: readonly Buffer[], base64: boolean): Buffer {
  out.begin(replies.length * 16);
  out.byte(OPEN_BRACKET);
  for (let i = 0; i < replies.length; i++) {
    if (i > 0) out.byte(COMMA);
    writeResult(new RespReader(replies[i]!), base64);
  }
  out.byte(CLOSE_BRACKET);
  return out.end();
}

/** Converts an array reply, such as that of EXEC, with each element as a reply of its own. */
export function jsonElements(reply: Buffer, base64: boolean): Buffer {
  const reader = new RespReader(reply);
  out.begin(reply.length);
  const count = reader.nextLength();
  out.byte(OPEN_BRACKET);
  for (let i = 0; i < count; i++) {
    if (i > 0) out.byte(COMMA);
    writeResult(reader, base64);
  }
  out.byte(CLOSE_BRACKET);
  return out.end();
}

export function jsonError(text: string): Buffer {
  return Buffer.from(`{"error":${JSON.stringify(text)}}`);
}

/** Writes `{"result":<the next reply>}`, or `{"error":...}`. */
function writeResult(reader: RespReader, base64: boolean): void {
  const { type } = reader;
  if (type === MINUS) {
    writeError(reader);
    return;
  }
  out.ascii('{"result":');
  if (base64 && type === PLUS && isOk(reader)) {
    reader.skip();
    out.ascii('"OK"');
  } else writeValue(reader, base64);
  out.byte(CLOSE_BRACE);
}

/** Whether the next reply, a status, is `OK`. */
function isOk({ bytes, at }: RespReader): boolean {
  return bytes[at + 1] === 0x4f && bytes[at + 2] === 0x4b && bytes[at + 3] === CR;
}

/** Writes the next reply. Iterates, since a script's reply may be nested deeper than the stack. */
function writeValue(reader: RespReader, base64: boolean): void {
  const open: number[] = [];
  for (;;) {
    const { type } = reader;
    if (type === STAR) {
      const count = reader.nextLength();
      if (count > 0) {
        out.byte(OPEN_BRACKET);
        open.push(count);
        continue;
      }
      out.ascii(count < 0 ? "null" : "[]");
    } else if (type === MINUS) writeError(reader);
    else if (type === COLON) {
      const from = reader.at + 1;
      out.digits(reader.bytes, from, reader.nextLine());
    } else writeString(reader, base64);
    for (;;) {
      const depth = open.length - 1;
      if (depth < 0) return;
      if (--open[depth]! > 0) {
        out.byte(COMMA);
        break;
      }
      open.pop();
      out.byte(CLOSE_BRACKET);
    }
  }
}

/** Writes the next reply, a status or a bulk string. */
function writeString(reader: RespReader, base64: boolean): void {
  const { bytes } = reader;
  let from = reader.at + 1;
  let to: number;
  if (reader.type === DOLLAR) {
    const length = reader.nextLength();
    if (length < 0) {
      out.ascii("null");
      return;
    }
    from = reader.at;
    to = from + length;
    reader.at = to + 2;
  } else to = reader.nextLine();
  if (base64) out.base64(bytes, from, to);
  else out.string(bytes, from, to);
}

/** Writes the next reply, an error, as an object. */
function writeError(reader: RespReader): void {
  const from = reader.at + 1;
  out.ascii('{"error":');
  out.string(reader.bytes, from, reader.nextLine());
  out.byte(CLOSE_BRACE);
}
