import type { Redis } from "./redis.js";

// The command classes of @upstash/redis. Its declarations export them, its modules do not, so only their types are needed: the
// arguments and the result of a command.

/** The base of the command classes. */
declare class Command<TArgs extends readonly unknown[], TData> {
  readonly command: readonly unknown[];
  constructor(args: TArgs, options?: unknown);
  exec(client: unknown): Promise<TData>;
}

type Method = (...args: any[]) => Promise<unknown>;

/** The command that a method of the client sends. */
declare class MethodCommand<M extends keyof Redis> extends Command<
  Redis[M] extends Method ? Parameters<Redis[M]> : never,
  Redis[M] extends Method ? Awaited<ReturnType<Redis[M]>> : never
> {}

/** The command that a method of `redis.json` sends. */
declare class JsonCommand<M extends keyof Redis["json"]> extends Command<
  Parameters<Redis["json"][M]>,
  Awaited<ReturnType<Redis["json"][M]>>
> {}

export declare class AppendCommand<_A = any, _B = any> extends MethodCommand<"append"> {}
export declare class ArCountCommand<_A = any, _B = any> extends MethodCommand<"arcount"> {}
export declare class ArDelCommand<_A = any, _B = any> extends MethodCommand<"ardel"> {}
export declare class ArDelRangeCommand<_A = any, _B = any> extends MethodCommand<"ardelrange"> {}
export declare class ArGetCommand<_A = any, _B = any> extends MethodCommand<"arget"> {}
export declare class ArGetRangeCommand<_A = any, _B = any> extends MethodCommand<"argetrange"> {}
export declare class ArGrepCommand<_A = any, _B = any> extends MethodCommand<"argrep"> {}
export declare class ArInfoCommand<_A = any, _B = any> extends MethodCommand<"arinfo"> {}
export declare class ArInsertCommand<_A = any, _B = any> extends MethodCommand<"arinsert"> {}
export declare class ArLastItemsCommand<_A = any, _B = any> extends MethodCommand<"arlastitems"> {}
export declare class ArLenCommand<_A = any, _B = any> extends MethodCommand<"arlen"> {}
export declare class ArMGetCommand<_A = any, _B = any> extends MethodCommand<"armget"> {}
export declare class ArMSetCommand<_A = any, _B = any> extends MethodCommand<"armset"> {}
export declare class ArNextCommand<_A = any, _B = any> extends MethodCommand<"arnext"> {}
export declare class ArOpCommand<_A = any, _B = any> extends MethodCommand<"arop"> {}
export declare class ArRingCommand<_A = any, _B = any> extends MethodCommand<"arring"> {}
export declare class ArScanCommand<_A = any, _B = any> extends MethodCommand<"arscan"> {}
export declare class ArSeekCommand<_A = any, _B = any> extends MethodCommand<"arseek"> {}
export declare class ArSetCommand<_A = any, _B = any> extends MethodCommand<"arset"> {}
export declare class BitCountCommand<_A = any, _B = any> extends MethodCommand<"bitcount"> {}
export declare class BitOpCommand<_A = any, _B = any> extends MethodCommand<"bitop"> {}
export declare class BitPosCommand<_A = any, _B = any> extends MethodCommand<"bitpos"> {}
export declare class ClientSetInfoCommand<_A = any, _B = any> extends MethodCommand<"clientSetinfo"> {}
export declare class CopyCommand<_A = any, _B = any> extends MethodCommand<"copy"> {}
export declare class DBSizeCommand<_A = any, _B = any> extends MethodCommand<"dbsize"> {}
export declare class DecrByCommand<_A = any, _B = any> extends MethodCommand<"decrby"> {}
export declare class DecrCommand<_A = any, _B = any> extends MethodCommand<"decr"> {}
export declare class DelCommand<_A = any, _B = any> extends MethodCommand<"del"> {}
export declare class EchoCommand<_A = any, _B = any> extends MethodCommand<"echo"> {}
export declare class EvalCommand<_A = any, _B = any> extends MethodCommand<"eval"> {}
export declare class EvalROCommand<_A = any, _B = any> extends MethodCommand<"evalRo"> {}
export declare class EvalshaCommand<_A = any, _B = any> extends MethodCommand<"evalsha"> {}
export declare class EvalshaROCommand<_A = any, _B = any> extends MethodCommand<"evalshaRo"> {}
export declare class ExistsCommand<_A = any, _B = any> extends MethodCommand<"exists"> {}
export declare class ExpireAtCommand<_A = any, _B = any> extends MethodCommand<"expireat"> {}
export declare class ExpireCommand<_A = any, _B = any> extends MethodCommand<"expire"> {}
export declare class FlushAllCommand<_A = any, _B = any> extends MethodCommand<"flushall"> {}
export declare class FlushDBCommand<_A = any, _B = any> extends MethodCommand<"flushdb"> {}
export declare class GeoAddCommand<_A = any, _B = any> extends MethodCommand<"geoadd"> {}
export declare class GeoDistCommand<_A = any, _B = any> extends MethodCommand<"geodist"> {}
export declare class GeoHashCommand<_A = any, _B = any> extends MethodCommand<"geohash"> {}
export declare class GeoPosCommand<_A = any, _B = any> extends MethodCommand<"geopos"> {}
export declare class GeoSearchCommand<_A = any, _B = any> extends MethodCommand<"geosearch"> {}
export declare class GeoSearchStoreCommand<_A = any, _B = any> extends MethodCommand<"geosearchstore"> {}
export declare class GetBitCommand<_A = any, _B = any> extends MethodCommand<"getbit"> {}
export declare class GetCommand<_A = any, _B = any> extends MethodCommand<"get"> {}
export declare class GetDelCommand<_A = any, _B = any> extends MethodCommand<"getdel"> {}
export declare class GetExCommand<_A = any, _B = any> extends MethodCommand<"getex"> {}
export declare class GetRangeCommand<_A = any, _B = any> extends MethodCommand<"getrange"> {}
export declare class GetSetCommand<_A = any, _B = any> extends MethodCommand<"getset"> {}
export declare class HDelCommand<_A = any, _B = any> extends MethodCommand<"hdel"> {}
export declare class HExistsCommand<_A = any, _B = any> extends MethodCommand<"hexists"> {}
export declare class HExpireAtCommand<_A = any, _B = any> extends MethodCommand<"hexpireat"> {}
export declare class HExpireCommand<_A = any, _B = any> extends MethodCommand<"hexpire"> {}
export declare class HExpireTimeCommand<_A = any, _B = any> extends MethodCommand<"hexpiretime"> {}
export declare class HGetAllCommand<_A = any, _B = any> extends MethodCommand<"hgetall"> {}
export declare class HGetCommand<_A = any, _B = any> extends MethodCommand<"hget"> {}
export declare class HGetDelCommand<_A = any, _B = any> extends MethodCommand<"hgetdel"> {}
export declare class HGetExCommand<_A = any, _B = any> extends MethodCommand<"hgetex"> {}
export declare class HIncrByCommand<_A = any, _B = any> extends MethodCommand<"hincrby"> {}
export declare class HIncrByFloatCommand<_A = any, _B = any> extends MethodCommand<"hincrbyfloat"> {}
export declare class HKeysCommand<_A = any, _B = any> extends MethodCommand<"hkeys"> {}
export declare class HLenCommand<_A = any, _B = any> extends MethodCommand<"hlen"> {}
export declare class HMGetCommand<_A = any, _B = any> extends MethodCommand<"hmget"> {}
export declare class HMSetCommand<_A = any, _B = any> extends MethodCommand<"hmset"> {}
export declare class HPExpireAtCommand<_A = any, _B = any> extends MethodCommand<"hpexpireat"> {}
export declare class HPExpireCommand<_A = any, _B = any> extends MethodCommand<"hpexpire"> {}
export declare class HPExpireTimeCommand<_A = any, _B = any> extends MethodCommand<"hpexpiretime"> {}
export declare class HPTtlCommand<_A = any, _B = any> extends MethodCommand<"hpttl"> {}
export declare class HPersistCommand<_A = any, _B = any> extends MethodCommand<"hpersist"> {}
export declare class HRandFieldCommand<_A = any, _B = any> extends MethodCommand<"hrandfield"> {}
export declare class HScanCommand<_A = any, _B = any> extends MethodCommand<"hscan"> {}
export declare class HSetCommand<_A = any, _B = any> extends MethodCommand<"hset"> {}
export declare class HSetExCommand<_A = any, _B = any> extends MethodCommand<"hsetex"> {}
export declare class HSetNXCommand<_A = any, _B = any> extends MethodCommand<"hsetnx"> {}
export declare class HStrLenCommand<_A = any, _B = any> extends MethodCommand<"hstrlen"> {}
export declare class HTtlCommand<_A = any, _B = any> extends MethodCommand<"httl"> {}
export declare class HValsCommand<_A = any, _B = any> extends MethodCommand<"hvals"> {}
export declare class IncrByCommand<_A = any, _B = any> extends MethodCommand<"incrby"> {}
export declare class IncrByFloatCommand<_A = any, _B = any> extends MethodCommand<"incrbyfloat"> {}
export declare class IncrCommand<_A = any, _B = any> extends MethodCommand<"incr"> {}
export declare class JsonArrAppendCommand<_A = any, _B = any> extends JsonCommand<"arrappend"> {}
export declare class JsonArrIndexCommand<_A = any, _B = any> extends JsonCommand<"arrindex"> {}
export declare class JsonArrInsertCommand<_A = any, _B = any> extends JsonCommand<"arrinsert"> {}
export declare class JsonArrLenCommand<_A = any, _B = any> extends JsonCommand<"arrlen"> {}
export declare class JsonArrPopCommand<_A = any, _B = any> extends JsonCommand<"arrpop"> {}
export declare class JsonArrTrimCommand<_A = any, _B = any> extends JsonCommand<"arrtrim"> {}
export declare class JsonClearCommand<_A = any, _B = any> extends JsonCommand<"clear"> {}
export declare class JsonDelCommand<_A = any, _B = any> extends JsonCommand<"del"> {}
export declare class JsonForgetCommand<_A = any, _B = any> extends JsonCommand<"forget"> {}
export declare class JsonGetCommand<_A = any, _B = any> extends JsonCommand<"get"> {}
export declare class JsonMGetCommand<_A = any, _B = any> extends JsonCommand<"mget"> {}
export declare class JsonMergeCommand<_A = any, _B = any> extends JsonCommand<"merge"> {}
export declare class JsonNumIncrByCommand<_A = any, _B = any> extends JsonCommand<"numincrby"> {}
export declare class JsonNumMultByCommand<_A = any, _B = any> extends JsonCommand<"nummultby"> {}
export declare class JsonObjKeysCommand<_A = any, _B = any> extends JsonCommand<"objkeys"> {}
export declare class JsonObjLenCommand<_A = any, _B = any> extends JsonCommand<"objlen"> {}
export declare class JsonRespCommand<_A = any, _B = any> extends JsonCommand<"resp"> {}
export declare class JsonSetCommand<_A = any, _B = any> extends JsonCommand<"set"> {}
export declare class JsonStrAppendCommand<_A = any, _B = any> extends JsonCommand<"strappend"> {}
export declare class JsonStrLenCommand<_A = any, _B = any> extends JsonCommand<"strlen"> {}
export declare class JsonToggleCommand<_A = any, _B = any> extends JsonCommand<"toggle"> {}
export declare class JsonTypeCommand<_A = any, _B = any> extends JsonCommand<"type"> {}
export declare class KeysCommand<_A = any, _B = any> extends MethodCommand<"keys"> {}
export declare class LIndexCommand<_A = any, _B = any> extends MethodCommand<"lindex"> {}
export declare class LInsertCommand<_A = any, _B = any> extends MethodCommand<"linsert"> {}
export declare class LLenCommand<_A = any, _B = any> extends MethodCommand<"llen"> {}
export declare class LMoveCommand<_A = any, _B = any> extends MethodCommand<"lmove"> {}
export declare class LPopCommand<_A = any, _B = any> extends MethodCommand<"lpop"> {}
export declare class LPushCommand<_A = any, _B = any> extends MethodCommand<"lpush"> {}
export declare class LPushXCommand<_A = any, _B = any> extends MethodCommand<"lpushx"> {}
export declare class LRangeCommand<_A = any, _B = any> extends MethodCommand<"lrange"> {}
export declare class LRemCommand<_A = any, _B = any> extends MethodCommand<"lrem"> {}
export declare class LSetCommand<_A = any, _B = any> extends MethodCommand<"lset"> {}
export declare class LTrimCommand<_A = any, _B = any> extends MethodCommand<"ltrim"> {}
export declare class MGetCommand<_A = any, _B = any> extends MethodCommand<"mget"> {}
export declare class MSetCommand<_A = any, _B = any> extends MethodCommand<"mset"> {}
export declare class MSetNXCommand<_A = any, _B = any> extends MethodCommand<"msetnx"> {}
export declare class PExpireAtCommand<_A = any, _B = any> extends MethodCommand<"pexpireat"> {}
export declare class PExpireCommand<_A = any, _B = any> extends MethodCommand<"pexpire"> {}
export declare class PSetEXCommand<_A = any, _B = any> extends MethodCommand<"psetex"> {}
export declare class PTtlCommand<_A = any, _B = any> extends MethodCommand<"pttl"> {}
export declare class PersistCommand<_A = any, _B = any> extends MethodCommand<"persist"> {}
export declare class PingCommand<_A = any, _B = any> extends MethodCommand<"ping"> {}
export declare class PublishCommand<_A = any, _B = any> extends MethodCommand<"publish"> {}
export declare class RPopCommand<_A = any, _B = any> extends MethodCommand<"rpop"> {}
export declare class RPushCommand<_A = any, _B = any> extends MethodCommand<"rpush"> {}
export declare class RPushXCommand<_A = any, _B = any> extends MethodCommand<"rpushx"> {}
export declare class RandomKeyCommand<_A = any, _B = any> extends MethodCommand<"randomkey"> {}
export declare class RenameCommand<_A = any, _B = any> extends MethodCommand<"rename"> {}
export declare class RenameNXCommand<_A = any, _B = any> extends MethodCommand<"renamenx"> {}
export declare class SAddCommand<_A = any, _B = any> extends MethodCommand<"sadd"> {}
export declare class SCardCommand<_A = any, _B = any> extends MethodCommand<"scard"> {}
export declare class SDiffCommand<_A = any, _B = any> extends MethodCommand<"sdiff"> {}
export declare class SDiffStoreCommand<_A = any, _B = any> extends MethodCommand<"sdiffstore"> {}
export declare class SInterCardCommand<_A = any, _B = any> extends MethodCommand<"sintercard"> {}
export declare class SInterCommand<_A = any, _B = any> extends MethodCommand<"sinter"> {}
export declare class SInterStoreCommand<_A = any, _B = any> extends MethodCommand<"sinterstore"> {}
export declare class SIsMemberCommand<_A = any, _B = any> extends MethodCommand<"sismember"> {}
export declare class SMIsMemberCommand<_A = any, _B = any> extends MethodCommand<"smismember"> {}
export declare class SMembersCommand<_A = any, _B = any> extends MethodCommand<"smembers"> {}
export declare class SMoveCommand<_A = any, _B = any> extends MethodCommand<"smove"> {}
export declare class SPopCommand<_A = any, _B = any> extends MethodCommand<"spop"> {}
export declare class SRandMemberCommand<_A = any, _B = any> extends MethodCommand<"srandmember"> {}
export declare class SRemCommand<_A = any, _B = any> extends MethodCommand<"srem"> {}
export declare class SScanCommand<_A = any, _B = any> extends MethodCommand<"sscan"> {}
export declare class SUnionCommand<_A = any, _B = any> extends MethodCommand<"sunion"> {}
export declare class SUnionStoreCommand<_A = any, _B = any> extends MethodCommand<"sunionstore"> {}
export declare class ScanCommand<_A = any, _B = any> extends MethodCommand<"scan"> {}
export declare class ScriptExistsCommand<_A = any, _B = any> extends MethodCommand<"scriptExists"> {}
export declare class ScriptFlushCommand<_A = any, _B = any> extends MethodCommand<"scriptFlush"> {}
export declare class ScriptLoadCommand<_A = any, _B = any> extends MethodCommand<"scriptLoad"> {}
export declare class SetBitCommand<_A = any, _B = any> extends MethodCommand<"setbit"> {}
export declare class SetCommand<_A = any, _B = any> extends MethodCommand<"set"> {}
export declare class SetExCommand<_A = any, _B = any> extends MethodCommand<"setex"> {}
export declare class SetNxCommand<_A = any, _B = any> extends MethodCommand<"setnx"> {}
export declare class SetRangeCommand<_A = any, _B = any> extends MethodCommand<"setrange"> {}
export declare class StrLenCommand<_A = any, _B = any> extends MethodCommand<"strlen"> {}
export declare class TimeCommand<_A = any, _B = any> extends MethodCommand<"time"> {}
export declare class TouchCommand<_A = any, _B = any> extends MethodCommand<"touch"> {}
export declare class TtlCommand<_A = any, _B = any> extends MethodCommand<"ttl"> {}
export declare class TypeCommand<_A = any, _B = any> extends MethodCommand<"type"> {}
export declare class UnlinkCommand<_A = any, _B = any> extends MethodCommand<"unlink"> {}
export declare class VectorAddCommand<_A = any, _B = any> extends Command<unknown[], unknown> {}
export declare class VectorCountCommand<_A = any, _B = any> extends Command<unknown[], unknown> {}
export declare class VectorCreateCommand<_A = any, _B = any> extends Command<unknown[], unknown> {}
export declare class VectorDelCommand<_A = any, _B = any> extends Command<unknown[], unknown> {}
export declare class VectorDropCommand<_A = any, _B = any> extends Command<unknown[], unknown> {}
export declare class VectorGetCommand<_A = any, _B = any> extends Command<unknown[], unknown> {}
export declare class VectorInfoCommand<_A = any, _B = any> extends Command<unknown[], unknown> {}
export declare class VectorQueryCommand<_A = any, _B = any> extends Command<unknown[], unknown> {}
export declare class XAckDelCommand<_A = any, _B = any> extends MethodCommand<"xackdel"> {}
export declare class XAddCommand<_A = any, _B = any> extends MethodCommand<"xadd"> {}
export declare class XDelExCommand<_A = any, _B = any> extends MethodCommand<"xdelex"> {}
export declare class XRangeCommand<_A = any, _B = any> extends MethodCommand<"xrange"> {}
export declare class ZAddCommand<_A = any, _B = any> extends MethodCommand<"zadd"> {}
export declare class ZCardCommand<_A = any, _B = any> extends MethodCommand<"zcard"> {}
export declare class ZCountCommand<_A = any, _B = any> extends MethodCommand<"zcount"> {}
export declare class ZDiffStoreCommand<_A = any, _B = any> extends MethodCommand<"zdiffstore"> {}
export declare class ZIncrByCommand<_A = any, _B = any> extends MethodCommand<"zincrby"> {}
export declare class ZInterStoreCommand<_A = any, _B = any> extends MethodCommand<"zinterstore"> {}
export declare class ZLexCountCommand<_A = any, _B = any> extends MethodCommand<"zlexcount"> {}
export declare class ZMScoreCommand<_A = any, _B = any> extends MethodCommand<"zmscore"> {}
export declare class ZPopMaxCommand<_A = any, _B = any> extends MethodCommand<"zpopmax"> {}
export declare class ZPopMinCommand<_A = any, _B = any> extends MethodCommand<"zpopmin"> {}
export declare class ZRangeCommand<_A = any, _B = any> extends MethodCommand<"zrange"> {}
export declare class ZRankCommand<_A = any, _B = any> extends MethodCommand<"zrank"> {}
export declare class ZRemCommand<_A = any, _B = any> extends MethodCommand<"zrem"> {}
export declare class ZRemRangeByLexCommand<_A = any, _B = any> extends MethodCommand<"zremrangebylex"> {}
export declare class ZRemRangeByRankCommand<_A = any, _B = any> extends MethodCommand<"zremrangebyrank"> {}
export declare class ZRemRangeByScoreCommand<_A = any, _B = any> extends MethodCommand<"zremrangebyscore"> {}
export declare class ZRevRankCommand<_A = any, _B = any> extends MethodCommand<"zrevrank"> {}
export declare class ZScanCommand<_A = any, _B = any> extends MethodCommand<"zscan"> {}
export declare class ZScoreCommand<_A = any, _B = any> extends MethodCommand<"zscore"> {}
export declare class ZUnionCommand<_A = any, _B = any> extends MethodCommand<"zunion"> {}
export declare class ZUnionStoreCommand<_A = any, _B = any> extends MethodCommand<"zunionstore"> {}
