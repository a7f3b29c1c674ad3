// An entry is a hash:
// - value: the encoded result; began: when its computation began, in ms since 1970; id: the lease that stored it
// - version, tags: the newest deletion of a tag when its computation began, and its tags
// - lease, until: the computation in progress, and when its lease ends
//
// The deletions of tags are a sorted set: each tag with the version of its deletion. Versions grow, and are about the time of the
// deletion in ms since 1970. The score of the empty member is the floor: entries of earlier versions count as deleted. So a deleted
// entry never comes back when the set is lost, or when records are removed for their age.

/** `c` calls Redis, `e` is the first key, `now` the time in ms since 1970. */
const PRELUDE = `local c,e=redis.call,KEYS[1]
local t=c("TIME")
local now=t[1]*1000+math.floor(t[2]/1000)
`;

/** `newest` returns the newest version, and creates the set if there is none. The set's time to live is kept above that of any entry. */
const NEWEST = `local function newest(k,keep)
local r=c("ZRANGE",k,-1,-1,"WITHSCORES")
if not r[2] then c("ZADD",k,now,"") r={"",now} end
if c("PTTL",k)<keep then c("PEXPIRE",k,keep*2) end
return tonumber(r[2])
end
`;

/** `live` returns whether none of the tags was deleted after a version. False too if the version is below the floor, or the set is lost. */
const LIVE = `local function live(k,version,tags)
local floor=c("ZSCORE",k,"")
if not floor or version<tonumber(floor) then return false end
for tag in string.gmatch(tags,"%S+") do
local v=c("ZSCORE",k,tag)
if v and tonumber(v)>version then return false end
end
return true
end
`;

/**
 * Returns the state of an entry: `fresh`, `stale` while another call computes, `wait` while another call computes and there
 * is no value, or `lease`: the caller has the lease now, and gets the stale value if there is one. KEYS: the entry, and the
 * deletions of tags if both are in one slot. ARGV: the caller's token, the times `lease`, `fresh` and `lifetime` in ms, the id of an
 * entry to ignore, and the time for which deletions are kept. Replies [state, lease or ms to wait, value, id, version, tags, newest
 * version].
 *
 * A lookup that is delivered again recognises its lease by the token. The lease contains its start, so that a lookup delivered
 * after the end of its lease gets another lease, and can't make an old value acceptable.
 */
export const LOOK_UP = `${PRELUDE}${NEWEST}${LIVE}local tags=KEYS[2]
local token,fresh,lifetime=ARGV[1],tonumber(ARGV[3]),tonumber(ARGV[4])
local value,began,id,version,tagged,holder,ends=unpack(c("HMGET",e,"value","began","id","version","tags","lease","until"))
local last=tags and newest(tags,tonumber(ARGV[6])) or 0
local valid=value and now-began<lifetime and id~=ARGV[5]
if valid and tags and tagged~="" and tonumber(version)<last then valid=live(tags,tonumber(version),tagged) end
local function reply(state,more)
if valid then return {state,more,value,id,tonumber(version),tagged,last} end
return {state,more,false,"",0,"",last}
end
if valid and now-began<fresh then return reply("fresh",0) end
local held=holder and now<tonumber(ends)
local own=held and string.sub(holder,1,#token)==token
if held and not own then
if valid then return reply("stale",0) end
return reply("wait",ends-now)
end
local lease=own and holder or token..":"..t[1]..":"..t[2]
c("HSET",e,"lease",lease,"until",now+ARGV[2])
if c("PTTL",e)<tonumber(ARGV[2]) then c("PEXPIRE",e,ARGV[2]) end
return reply("lease",lease)`;

/**
 * Stores a value, unless the lease has ended or was deleted, or one of the tags was deleted since. KEYS: those of {@link LOOK_UP}.
 * ARGV: the lease, the value, the lifetime in ms, the version, the tags. Returns 1 if the value was stored.
 *
 * The lease is removed last: a key without fields would be deleted, and a script may not create a key of a slot that moves to another
 * node.
 */
export const STORE = `${PRELUDE}${LIVE}local lease,ends=unpack(c("HMGET",e,"lease","until"))
if lease~=ARGV[1] or now>=tonumber(ends) then return 0 end
local s,us=string.match(ARGV[1],":(%d+):(%d+)$")
local began=s*1000+math.floor(us/1000)
local left=began+ARGV[3]-now
local valid=left>0 and (not KEYS[2] or ARGV[5]=="" or live(KEYS[2],tonumber(ARGV[4]),ARGV[5]))
if valid then
c("HSET",e,"value",ARGV[2],"began",began,"id",ARGV[1],"version",ARGV[4],"tags",ARGV[5])
c("PEXPIRE",e,left)
end
c("HDEL",e,"lease","until")
return valid and 1 or 0`;

/** Ends a lease. KEYS: the entry. ARGV: the lease. */
export const RELEASE = `if redis.call("HGET",KEYS[1],"lease")==ARGV[1] then redis.call("HDEL",KEYS[1],"lease","until") end`;

/**
 * Returns the newest version, or whether tags are live. KEYS: the deletions of tags. ARGV: the time for which deletions are
 * kept, in ms, and, to check tags, a version and the tags.
 */
export const CHECK_TAGS = `${PRELUDE}${NEWEST}${LIVE}local last=newest(e,tonumber(ARGV[1]))
if not ARGV[2] then return last end
return live(e,tonumber(ARGV[2]),ARGV[3]) and 1 or 0`;

/**
 * Deletes a tag, and removes records that are too old to concern an entry. KEYS: the deletions of tags. ARGV: the time for
 * which deletions are kept, in ms, and the tag.
 */
export const DELETE_TAG = `${PRELUDE}${NEWEST}local keep=tonumber(ARGV[1])
local version=math.max(now,newest(e,keep)+1)
c("ZADD",e,version,ARGV[2])
local old=c("ZREVRANGEBYSCORE",e,now-keep,"-inf","WITHSCORES","LIMIT",0,1)
if old[1] and old[1]~="" then
c("ZREMRANGEBYSCORE",e,"-inf",old[2])
c("ZADD",e,old[2],"")
end
return 1`;
