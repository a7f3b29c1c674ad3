/**
 * Runs a command once, however often it is delivered: KEYS[1] is the token, under which the reply is kept; the other
 * keys are the command's own. ARGV[1] is how long, in ms, and the rest is the command.
 *
 * The token is written before the command as well as after it, so that a server out of memory refuses before
 * anything has happened. INCR and its like give integers that Lua's numbers would round from 2^53 on: then what was
 * stored is read as text.
 */
const BODY = `local token = KEYS[1]
local kept = redis.call("GET", token)
if kept and kept ~= "" then return cmsgpack.unpack(kept) end
local room = redis.pcall("SET", token, "", "PX", ARGV[1])
if room.err then return room end
local reply = redis.pcall(unpack(ARGV, 2))
if type(reply) == "number" and math.abs(reply) >= 9007199254740992 then
  if ARGV[2] == "HINCRBY" then reply = redis.call("HGET", ARGV[3], ARGV[4]) else reply = redis.call("GET", ARGV[3]) end
end
redis.call("SET", token, cmsgpack.pack(reply), "PX", ARGV[1])
return reply`;

/**
 * @param upstash for Upstash, which takes a lock on the whole database for a script that doesn't say that it keeps to
 * its keys. Redis 7.0 rejects the flag, so there are two texts.
 */
export function onceScript(upstash: boolean): string {
  return upstash ? `#!lua flags=allow-key-locking\n${BODY}` : BODY;
}

/** The most words that `unpack` can hand to a command. */
export const MOST_WORDS = 7_900;
