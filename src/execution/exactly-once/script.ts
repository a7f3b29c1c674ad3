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
 * Refuses a write that differs from the one with the same ordinal in an earlier run. The last key is a hash of the run's writes
 * by ordinal. The last arguments are the ordinal, and the name of the command with a hash of its arguments.
 */
export const CHECK_PATH = `local k,a=KEYS[#KEYS],table.remove(ARGV)
local t=table.remove(ARGV)
redis.call("HSETNX",k,t,a)
redis.call("PEXPIRE",k,ARGV[1])
local r=redis.call("HGET",k,t)
if r~=a then return {err="OTHERPATH write "..t.." was "..string.match(r,"%S+").." in an earlier run"} end
`;

/** Refuses a write unless its run holds the lease: the value of the last key. The last argument is that value. */
export const CHECK_LEASE = `if redis.call("GET",KEYS[#KEYS])~=table.remove(ARGV) then
return {err="LEASELOST the lease of this run has ended"}
end
`;

/**
 * @param check Lua code that runs first, such as {@link CHECK_PATH}.
 * @param upstash for Upstash, which takes a lock on the whole database for a script that doesn't say that it keeps to
 * its keys. Redis 7.0 rejects the flag, so there are two texts.
 */
export function idempotencyScript(upstash: boolean, check = ""): string {
  return (upstash ? "#!lua flags=allow-key-locking\n" : "") + check + BODY;
}

/** The most arguments that `unpack` can hand to a command. */
export const MAX_ARGS = 7_900;
