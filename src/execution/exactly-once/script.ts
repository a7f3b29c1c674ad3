/**
 * The scripts run a command once, however often it is delivered. KEYS[1] is the token, under which the reply is stored. The command's
 * own keys follow, then that of a check. ARGV[1] is the lifetime of the reply in ms. The command follows, then a check's arguments.
 *
 * The gateway recognizes the scripts by their digests, so that tokens that may not run scripts can have their writes guarded: a
 * change here is one in gateway/src/commands/once.ts, where those of released versions stay.
 */

/** Returns the stored reply of a write that was applied. */
const LOOKUP = `local c,t,a=redis.call,KEYS[1],ARGV
local r=c("GET",t)
if r and r~="" then return cmsgpack.unpack(r) end
`;

/**
 * Refuses a write that differs from the one with the same ordinal in an earlier run. The last key is a hash of the run's writes
 * by ordinal. The last arguments are the ordinal, and the name of the command with a hash of its arguments.
 */
export const CHECK_PATH = `local k,w=KEYS[#KEYS],table.remove(a)
local n=table.remove(a)
c("HSETNX",k,n,w)
c("PEXPIRE",k,a[1])
r=c("HGET",k,n)
if r~=w then return {err="OTHERPATH write "..n.." was "..string.match(r,"%S+").." in an earlier run"} end
`;

/** Refuses a write unless its run holds the lease: the value of the last key. The last argument is that value. */
export const CHECK_LEASE = `if c("GET",KEYS[#KEYS])~=table.remove(a) then
return {err="LEASELOST the lease of this run has ended"}
end
`;

/**
 * The token is written before the command as well as after it, so that a server out of memory refuses before
 * anything has happened. INCR and its like give integers that Lua's numbers would round from 2^53 on: then what was
 * stored is read as text.
 */
const RUN = `r=redis.pcall("SET",t,"","PX",a[1])
if r.err then return r end
r=redis.pcall(unpack(a,2))
if type(r)=="number" and math.abs(r)>=2^53 then
if a[2]=="HINCRBY" then r=c("HGET",a[3],a[4]) else r=c("GET",a[3]) end
end
c("SET",t,cmsgpack.pack(r),"PX",a[1])
return r`;

/**
 * @param check Lua code that runs before a command without a stored reply, such as {@link CHECK_PATH}. A repeat of an applied
 * write thus gets its reply, also after the write has changed what is checked.
 * @param upstash for Upstash, which takes a lock on the whole database for a script that doesn't say that it keeps to
 * its keys. Redis 7.0 rejects the flag, so there are two texts.
 */
export function idempotencyScript(upstash: boolean, check = ""): string {
  return (upstash ? "#!lua flags=allow-key-locking\n" : "") + LOOKUP + check + RUN;
}

/** The most arguments that `unpack` can hand to a command. */
export const MAX_ARGS = 7_900;
