import { joinArgs } from "../../resp/args.js";
import type { Command } from "../../resp/command.js";
import { arrayOf, bulkOf, elementsOf } from "../../resp/replies.js";

/** Commands whose reply begins with the key that they found. */
const KEY_FIRST = new Set(["BLPOP", "BRPOP", "BZPOPMIN", "BZPOPMAX", "LMPOP", "BLMPOP", "ZMPOP", "BZMPOP"]);
/** Commands whose reply is a list of keys, each with what was found there. */
const KEY_IN_EACH = new Set(["XREAD", "XREADGROUP"]);

/** The command with `length` bytes less at the beginning of each of its keys. */
export function stripped(command: Command, indexes: readonly number[], length: number): Command {
  const isKey = new Set(indexes);
  const parts = Array.from({ length: command.size }, (_, at) =>
    isKey.has(at) ? bulkOf(command.content(at).subarray(length)) : command.slice(at, at + 1),
  );
  return joinArgs(command.size, parts);
}

/** The reply to a command whose keys were stripped, with the prefix at the keys that it names. */
export function unstripped(name: string, reply: Buffer, prefix: Buffer): Buffer {
  if (KEY_FIRST.has(name)) return withKey(reply, prefix);
  if (KEY_IN_EACH.has(name)) {
    const streams = elementsOf(reply);
    return streams.length === 0 ? reply : arrayOf(streams.map((stream) => withKey(stream, prefix)));
  }
  return reply;
}

function withKey(list: Buffer, prefix: Buffer): Buffer {
  const [key, ...rest] = elementsOf(list);
  if (!key) return list;
  const content = key.subarray(key.indexOf("\n") + 1, key.length - 2);
  return arrayOf([bulkOf(Buffer.concat([prefix, content])), ...rest]);
}
