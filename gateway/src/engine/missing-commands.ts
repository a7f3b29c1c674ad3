/** The commands, besides those of JSON, that the embedded engine has and Redis 7.0 lacks. A test checks the list. */
export const BEYOND_REDIS_7: ReadonlySet<string> = new Set(
  "HEXPIRE HEXPIREAT HEXPIRETIME HGETDEL HGETEX HPERSIST HPEXPIRE HPEXPIREAT HPEXPIRETIME HPTTL HSETEX HTTL".split(
    " ",
  ),
);

const UNKNOWN = /^(-ERR unknown command '([^']*)')/;

/** Returns an error reply, with a hint if it is for an unknown command that the embedded engine has. */
export function explainMissing(reply: Buffer): Buffer {
  const [, start, unknown = ""] = UNKNOWN.exec(reply.toString("latin1", 0, 100)) ?? [];
  const name = unknown.toUpperCase();
  if (!start || !(name.startsWith("JSON.") || BEYOND_REDIS_7.has(name))) return reply;
  const hint =
    " (the embedded engine has it: --engine embedded; or give --engine the path of a newer redis-server)";
  return Buffer.concat([reply.subarray(0, start.length), Buffer.from(hint), reply.subarray(start.length)]);
}
