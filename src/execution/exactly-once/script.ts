/**
 * The scripts run a command once, however often it is delivered. KEYS[1] is the token, under which the reply is stored. The keys of
 * the command follow, then the key of a check. ARGV[1] is the lifetime of the reply in ms. The command follows, then the arguments
 * of a check.
 *
 * The gateway allows these scripts, which it recognises by their digests, to tokens that may not run others. After a change here
 * add the digests to gateway/src/commands/once.ts, and leave those of released versions there.
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
 * The token is written before the command as well as after it, so that a server out of memory refuses before the command has
 * run. Lua rounds integer replies from 2^53 on. Those of INCR, DECR, INCRBY, DECRBY and HINCRBY are the stored value, which is
 * read as text then.
 */
const RUN = `r=redis.pcall("SET",t,"","PX",a[1])
if r.err then return r end
r=redis.pcall(unpack(a,2))
if type(r)=="number" and math.abs(r)>=2^53 then
if a[2]=="HINCRBY" then r=c("HGET",a[3],a[4])
elseif string.find(a[2],"^..CR") then r=c("GET",a[3]) end
end
c("SET",t,cmsgpack.pack(r),"PX",a[1])
return r`;

/**
 * @param upstash whether to declare that the script accesses only its keys: without that Upstash locks the whole database.
 * Redis 7.0 rejects the flag, so there are two texts.
 * @param check Lua code that runs only if there is no stored reply, since an applied write may have changed the key it checks.
 */
export function idempotencyScript(upstash: boolean, check = ""): string {
  return (upstash ? "#!lua flags=allow-key-locking\n" : "") + LOOKUP + check + RUN;
}

/** Maximum number of arguments that `unpack` can pass to a command. */
export const MAX_ARGS = 7_900;
