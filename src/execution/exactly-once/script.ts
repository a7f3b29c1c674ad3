/**
 * Runs a command once, however often it is delivered: KEYS[1] is the token, under which the reply is kept; the other
 * keys are the command's own. ARGV[1] is how long, in ms, and the rest is the command.
 *
 * The token is written before the command as well as after it, so that a server out of memory refuses before
 * anything has happened. INCR and its like give integers that Lua's numbers would round from 2^53 on: then what was
 * stored is read as text.
 *
 * The gateway recognizes this text by its digest, so that tokens that may not run scripts can have their writes guarded: a
 * change here is one in gateway/src/commands/once.ts, where those of earlier versions stay.
 */
const BODY = `local c,t,a=redis.call,KEYS[1],ARGV
local r=c("GET",t)
if r and r~="" then return cmsgpack.unpack(r) end
r=redis.pcall("SET",t,"","PX",a[1])
if r.err then return r end
r=redis.pcall(unpack(a,2))
if type(r)=="number" and math.abs(r)>=2^53 then
if a[2]=="HINCRBY" then r=c("HGET",a[3],a[4]) else r=c("GET",a[3]) end
end
c("SET",t,cmsgpack.pack(r),"PX",a[1])
return r`;

/**
 * @param upstash for Upstash, which takes a lock on the whole database for a script that doesn't say that it keeps to
 * its keys. Redis 7.0 rejects the flag, so there are two texts.
 */
export function idempotencyScript(upstash: boolean): string {
  return upstash ? `#!lua flags=allow-key-locking\n${BODY}` : BODY;
}

/** The most arguments that `unpack` can hand to a command. */
export const MAX_ARGS = 7_900;
