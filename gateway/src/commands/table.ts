// Generated from scripts/facts. To renew it: npx vitest run test/unit/commands/gateway-table.test.ts -u

/** One command a line: name, group, arity, flags, places of keys, request policy, response policy. */
export const TABLE = `
ACL server -2
ACL|CAT server -2 n
ACL|DELUSER server -3 an - all_nodes all_succeeded
ACL|DRYRUN server -4 an
ACL|GENPASS server -2 n
ACL|GETUSER server 3 an
ACL|HELP server 2
ACL|LIST server 2 an
ACL|LOAD server 2 an
ACL|LOG server -2 an
ACL|SAVE server 2 an - all_nodes all_succeeded
ACL|SETUSER server -3 an - all_nodes all_succeeded
ACL|USERS server 2 an
ACL|WHOAMI server 2 n
APPEND string 3 w 1
ARCOUNT newer 0 r 1
ARDEL newer 0 w 1
ARDELRANGE newer 0 w 1
ARGET newer 0 r 1
ARGETRANGE newer 0 r 1
ARGREP newer 0 r 1
ARINFO newer 0 r 1
ARINSERT newer 0 w 1
ARLASTITEMS newer 0 r 1
ARLEN newer 0 r 1
ARMGET newer 0 r 1
ARMSET newer 0 w 1
ARNEXT newer 0 r 1
AROP newer 0 r 1
ARRING newer 0 w 1
ARSCAN newer 0 r 1
ARSEEK newer 0 w 1
ARSET newer 0 w 1
ASKING cluster 1
AUTH connection -2 n
BACKUP newer 0
BACKUP|ABORT newer 0 an
BACKUP|CLEANUP newer 0 an
BACKUP|HELP newer 0
BACKUP|LIST newer 0 a
BACKUP|SEAL newer 0 an
BACKUP|START newer 0 an
BACKUP|STATUS newer 0 a
BF.ADD module:bf 0 w 1
BF.CARD module:bf 0 r 1
BF.DEBUG module:bf 0 r 1
BF.EXISTS module:bf 0 r 1
BF.INFO module:bf 0 r 1
BF.INSERT module:bf 0 w 1
BF.LOADCHUNK module:bf 0 w 1
BF.MADD module:bf 0 w 1
BF.MEXISTS module:bf 0 r 1
BF.RESERVE module:bf 0 w 1
BF.SCANDUMP module:bf 0 r 1
BGREWRITEAOF server 1 an
BGSAVE server -1 an
BITCOUNT bitmap -2 r 1
BITFIELD bitmap -2 w 1
BITFIELD_RO bitmap -2 r 1
BITOP bitmap -4 w 2,3..-1
BITPOS bitmap -3 r 1
BLMOVE list 6 bw 1,2
BLMOVEM newer 0 bw 1..2
BLMPOP list -5 bw #2@3
BLPOP list -3 bw 1..-2
BRPOP list -3 bw 1..-2
BRPOPLPUSH list 4 bw 1,2
BZMPOP sorted_set -5 bw #2@3
BZPOPMAX sorted_set -3 bw 1..-2
BZPOPMIN sorted_set -3 bw 1..-2
CF.ADD module:cf 0 w 1
CF.ADDNX module:cf 0 w 1
CF.COMPACT module:cf 0 - 1
CF.COUNT module:cf 0 r 1
CF.DEBUG module:cf 0 r 1
CF.DEL module:cf 0 w 1
CF.EXISTS module:cf 0 r 1
CF.INFO module:cf 0 r 1
CF.INSERT module:cf 0 w 1
CF.INSERTNX module:cf 0 w 1
CF.LOADCHUNK module:cf 0 w 1
CF.MEXISTS module:cf 0 r 1
CF.RESERVE module:cf 0 w 1
CF.SCANDUMP module:cf 0 r 1
CLIENT connection -2
CLIENT|CACHING connection 3 n
CLIENT|CAPA connection -3 n
CLIENT|GETNAME connection 2 n
CLIENT|GETREDIR connection 2 n
CLIENT|HELP connection 2
CLIENT|ID connection 2 n
CLIENT|INFO connection 2 n
CLIENT|KILL connection -3 an
CLIENT|LIST connection -2 an
CLIENT|NO-EVICT connection 3 an
CLIENT|NO-TOUCH connection 3 n
CLIENT|PAUSE connection -3 an
CLIENT|REPLY connection 3 n
CLIENT|SETINFO connection 4 n - all_nodes all_succeeded
CLIENT|SETNAME connection 3 n - all_nodes all_succeeded
CLIENT|TRACKING connection -3 n
CLIENT|TRACKINGINFO connection 2 n
CLIENT|UNBLOCK connection -3 an
CLIENT|UNPAUSE connection 2 an
CLUSTER cluster -2
CLUSTER|ADDSLOTS cluster -3 a
CLUSTER|ADDSLOTSRANGE cluster -4 a
CLUSTER|BUMPEPOCH cluster 2 a
CLUSTER|COUNT-FAILURE-REPORTS cluster 3 a
CLUSTER|COUNTKEYSINSLOT cluster 3
CLUSTER|DELSLOTS cluster -3 a
CLUSTER|DELSLOTSRANGE cluster -4 a
CLUSTER|FAILOVER cluster -2 a
CLUSTER|FLUSHSLOTS cluster 2 a
CLUSTER|FORGET cluster 3 a
CLUSTER|GETKEYSINSLOT cluster 4
CLUSTER|HELP cluster 2
CLUSTER|INFO cluster 2
CLUSTER|KEYSLOT cluster 3
CLUSTER|LINKS cluster 2
CLUSTER|MEET cluster -4 a
CLUSTER|MIGRATION newer 0 a
CLUSTER|MYID cluster 2
CLUSTER|MYSHARDID cluster 2
CLUSTER|NODES cluster 2
CLUSTER|REPLICAS cluster 3 a
CLUSTER|REPLICATE cluster 3 a
CLUSTER|RESET cluster -2 an
CLUSTER|SAVECONFIG cluster 2 a
CLUSTER|SET-CONFIG-EPOCH cluster 3 a
CLUSTER|SETSLOT cluster -4 a
CLUSTER|SHARDS cluster 2
CLUSTER|SLAVES cluster 3 a
CLUSTER|SLOT-STATS cluster -4 - - all_shards
CLUSTER|SLOTS cluster 2
CLUSTER|SYNCSLOTS newer 0 a
CMS.INCRBY module:cms 0 w 1
CMS.INFO module:cms 0 r 1
CMS.INITBYDIM module:cms 0 w 1
CMS.INITBYPROB module:cms 0 w 1
CMS.MERGE module:cms 0 w 1,#2@3
CMS.QUERY module:cms 0 r 1
COMMAND server -1
COMMAND|COUNT server 2
COMMAND|DOCS server -2
COMMAND|GETKEYS server -3
COMMAND|GETKEYSANDFLAGS server -3
COMMAND|HELP server 2
COMMAND|INFO server -2
COMMAND|LIST server -2
CONFIG server -2
CONFIG|GET server -3 an
CONFIG|HELP server 2
CONFIG|RESETSTAT server 2 an - all_nodes all_succeeded
CONFIG|REWRITE server 2 an - all_nodes all_succeeded
CONFIG|SET server -4 an - all_nodes all_succeeded
COPY generic -3 w 1,2
DBSIZE server 1 r - all_shards agg_sum
DEBUG server -2 an ?
DECR string 2 w 1
DECRBY string 3 w 1
DEL generic -2 w 1..-1 multi_shard agg_sum
DELEX newer 0 w 1
DIGEST newer 0 r 1
DISCARD transactions 1 n
DUMP generic 2 r 1
ECHO connection 2 r
EVAL scripting -3 n #2@3
EVALSHA scripting -3 n #2@3
EVALSHA_RO scripting -3 nr #2@3
EVAL_RO scripting -3 nr #2@3
EXEC transactions 1 n
EXISTS generic -2 r 1..-1 multi_shard agg_sum
EXPIRE generic -3 w 1
EXPIREAT generic -3 w 1
EXPIRETIME generic 2 r 1
FAILOVER server -1 an
FCALL scripting -3 n #2@3
FCALL_RO scripting -3 nr #2@3
FLUSHALL server -1 w - all_shards all_succeeded
FLUSHDB server -1 w - all_shards all_succeeded
FT.AGGREGATE module:ft 0 r ?
FT.ALIASADD module:ft 0 w ?
FT.ALIASDEL module:ft 0 w ?
FT.ALIASLIST module:ft 0 r ?
FT.ALIASUPDATE module:ft 0 w ?
FT.ALTER module:ft 0 w ?
FT.CREATE module:ft 0 w ?
FT.CURSOR module:ft 0 r ? special
FT.CURSOR|DEL newer 0 - ?
FT.CURSOR|GC newer 0 r ?
FT.CURSOR|READ newer 0 - ?
FT.DICTADD module:ft 0 w ?
FT.DICTDEL module:ft 0 w ?
FT.DICTDUMP module:ft 0 r ?
FT.DROP module:ft 0 w ?
FT.DROPINDEX module:ft 0 w ?
FT.EXPLAIN module:ft 0 r ?
FT.EXPLAINCLI module:ft 0 r ?
FT.INFO module:ft 0 r ?
FT.PROFILE module:ft 0 r ?
FT.SEARCH module:ft 0 r ?
FT.SPELLCHECK module:ft 0 r ?
FT.SUGADD module:ft 0 w 1
FT.SUGDEL module:ft 0 w 1
FT.SUGGET module:ft 0 r 1
FT.SUGLEN module:ft 0 r 1
FT.SYNDUMP module:ft 0 r ?
FT.SYNUPDATE module:ft 0 w ?
FT.TAGVALS module:ft 0 r ?
FUNCTION scripting -2
FUNCTION|DELETE scripting 3 nw - all_shards all_succeeded
FUNCTION|DUMP scripting 2 n
FUNCTION|FLUSH scripting -2 nw - all_shards all_succeeded
FUNCTION|HELP scripting 2
FUNCTION|KILL scripting 2 n - all_shards one_succeeded
FUNCTION|LIST scripting -2 n
FUNCTION|LOAD scripting -3 nw - all_shards all_succeeded
FUNCTION|RESTORE scripting -3 nw - all_shards all_succeeded
FUNCTION|STATS scripting 2 n - all_shards special
GEOADD geo -5 w 1
GEODIST geo -4 r 1
GEOHASH geo -2 r 1
GEOPOS geo -2 r 1
GEORADIUS geo -6 w georadius@6
GEORADIUSBYMEMBER geo -5 w georadius@5
GEORADIUSBYMEMBER_RO geo -5 r 1
GEORADIUS_RO geo -6 r 1
GEOSEARCH geo -7 r 1
GEOSEARCHSTORE geo -8 w 1,2
GET string 2 r 1
GETBIT bitmap 3 r 1
GETDEL string 2 w 1
GETEX string -2 w 1
GETRANGE string 4 r 1
GETSET string 3 w 1
HDEL hash -3 w 1
HELLO connection -1 n
HEXISTS hash 3 r 1
HEXPIRE hash -6 w 1
HEXPIREAT hash -6 w 1
HEXPIRETIME hash -5 r 1
HGET hash 3 r 1
HGETALL hash 2 r 1
HGETDEL newer 0 w 1
HGETEX newer 0 w 1
HIMPORT newer 0
HIMPORT|DISCARD newer 0
HIMPORT|DISCARDALL newer 0
HIMPORT|PREPARE newer 0
HIMPORT|SET newer 0 w ?
HINCRBY hash 4 w 1
HINCRBYFLOAT hash 4 w 1
HKEYS hash 2 r 1
HLEN hash 2 r 1
HMGET hash -3 r 1
HMSET hash -4 w 1
HOTKEYS newer 0
HOTKEYS|GET newer 0 an
HOTKEYS|HELP newer 0
HOTKEYS|RESET newer 0 an
HOTKEYS|START newer 0 an
HOTKEYS|STOP newer 0 an
HPERSIST hash -5 w 1
HPEXPIRE hash -6 w 1
HPEXPIREAT hash -6 w 1
HPEXPIRETIME hash -5 r 1
HPTTL hash -5 r 1
HRANDFIELD hash -2 r 1
HSCAN hash -3 r 1
HSET hash -4 w 1
HSETEX newer 0 w 1
HSETNX hash 4 w 1
HSTRLEN hash 3 r 1
HTTL hash -5 r 1
HVALS hash 2 r 1
INCR string 2 w 1
INCRBY string 3 w 1
INCRBYFLOAT string 3 w 1
INCREX newer 0 w 1
INFO server -1 r - all_shards special
JSON.ARRAPPEND module:json 0 w 1
JSON.ARRINDEX module:json 0 r 1
JSON.ARRINSERT module:json 0 w 1
JSON.ARRLEN module:json 0 r 1
JSON.ARRPOP module:json 0 w 1
JSON.ARRTRIM module:json 0 w 1
JSON.CLEAR module:json 0 w 1
JSON.DEBUG module:json 0 r ?
JSON.DEL module:json 0 w 1
JSON.FORGET module:json 0 w 1
JSON.GET module:json 0 r 1
JSON.MERGE module:json 0 w 1
JSON.MGET module:json 0 r 1..-2
JSON.MSET module:json 0 w 1..-1/3
JSON.NUMINCRBY module:json 0 w 1
JSON.NUMMULTBY module:json 0 w 1
JSON.NUMPOWBY module:json 0 w 1
JSON.OBJKEYS module:json 0 r 1
JSON.OBJLEN module:json 0 r 1
JSON.RESP module:json 0 r 1
JSON.SET module:json 0 w 1
JSON.STRAPPEND module:json 0 w 1
JSON.STRLEN module:json 0 r 1
JSON.TOGGLE module:json 0 w 1
JSON.TYPE module:json 0 r 1
KEYS generic 2 r - all_shards
LASTSAVE server 1
LATENCY server -2
LATENCY|DOCTOR server 2 an - all_nodes special
LATENCY|GRAPH server 3 an - all_nodes special
LATENCY|HELP server 2
LATENCY|HISTOGRAM server -2 an - all_nodes special
LATENCY|HISTORY server 3 an - all_nodes special
LATENCY|LATEST server 2 an - all_nodes special
LATENCY|RESET server -2 an - all_nodes agg_sum
LCS string -3 r 1..2
LINDEX list 3 r 1
LINSERT list 5 w 1
LLEN list 2 r 1
LMOVE list 5 w 1,2
LMOVEM newer 0 w 1..2
LMPOP list -4 w #1@2
LOLWUT server -1 r
LPOP list -2 w 1
LPOS list -3 r 1
LPUSH list -3 w 1
LPUSHX list -3 w 1
LRANGE list 4 r 1
LREM list 4 w 1
LSET list 4 w 1
LTRIM list 4 w 1
MEMORY server -2
MEMORY|DOCTOR server 2 - - all_shards special
MEMORY|HELP server 2
MEMORY|MALLOC-STATS server 2 - - all_shards special
MEMORY|PURGE server 2 - - all_shards all_succeeded
MEMORY|STATS server 2 - - all_shards special
MEMORY|USAGE server -3 r 2
MGET string -2 r 1..-1 multi_shard
MIGRATE generic -6 w ?
MODULE server -2
MODULE|HELP server 2
MODULE|LIST server 2 an
MODULE|LOAD server -3 an
MODULE|LOADEX server -3 an
MODULE|UNLOAD server 3 an
MONITOR server 1 an
MOVE generic 3 w 1
MSET string -3 w 1..-1/2 multi_shard all_succeeded
MSETEX newer 0 w #1@2/2
MSETNX string -3 w 1..-1/2
MULTI transactions 1 n
OBJECT generic -2
OBJECT|ENCODING generic 3 r 2
OBJECT|FREQ generic 3 r 2
OBJECT|HELP generic 2
OBJECT|IDLETIME generic 3 r 2
OBJECT|REFCOUNT generic 3 r 2
PERSIST generic 2 w 1
PEXPIRE generic -3 w 1
PEXPIREAT generic -3 w 1
PEXPIRETIME generic 2 r 1
PFADD hyperloglog -2 w 1
PFCOUNT hyperloglog -2 r 1..-1
PFDEBUG hyperloglog 3 aw ?
PFMERGE hyperloglog -2 w 1,2..-1
PFSELFTEST hyperloglog 1 a
PING connection -1 r - all_shards all_succeeded
PSETEX string 4 w 1
PSUBSCRIBE pubsub -2 np
PSYNC server -3 an
PTTL generic 2 r 1
PUBLISH pubsub 3 p
PUBSUB pubsub -2
PUBSUB|CHANNELS pubsub -2 p
PUBSUB|HELP pubsub 2
PUBSUB|NUMPAT pubsub 2 p
PUBSUB|NUMSUB pubsub -2 p
PUBSUB|SHARDCHANNELS pubsub -2 p
PUBSUB|SHARDNUMSUB pubsub -2 p
PUNSUBSCRIBE pubsub -1 np
QUIT connection -1 n
RANDOMKEY generic 1 r - all_shards special
READONLY cluster 1
READWRITE cluster 1
RENAME generic 3 w 1,2
RENAMENX generic 3 w 1,2
REPLCONF server -1 an
REPLICAOF server 3 an
RESET connection 1 n
RESTORE generic -4 w 1
RESTORE-ASKING server -4 w 1
ROLE server 1 n
RPOP list -2 w 1
RPOPLPUSH list 3 w 1,2
RPUSH list -3 w 1
RPUSHX list -3 w 1
SADD set -3 w 1
SAVE server 1 an
SCAN generic -2 r - special special
SCARD set 2 r 1
SCRIPT scripting -2
SCRIPT|DEBUG scripting 3 n
SCRIPT|EXISTS scripting -3 n - all_shards agg_logical_and
SCRIPT|FLUSH scripting -2 n - all_nodes all_succeeded
SCRIPT|HELP scripting 2
SCRIPT|KILL scripting 2 n - all_shards one_succeeded
SCRIPT|LOAD scripting 3 n - all_nodes all_succeeded
SCRIPT|SHOW scripting 3 n
SDIFF set -2 r 1..-1
SDIFFCARD newer 0 r #1@2
SDIFFSTORE set -3 w 1,2..-1
SELECT connection 2
SET string -3 w 1
SETBIT bitmap 4 w 1
SETEX string 4 w 1
SETNX string 3 w 1
SETRANGE string 4 w 1
SFLUSH server -3 w
SHUTDOWN server -1 an
SINTER set -2 r 1..-1
SINTERCARD set -3 r #1@2
SINTERSTORE set -3 w 1,2..-1
SISMEMBER set 3 r 1
SLAVEOF server 3 an
SLOWLOG server -2
SLOWLOG|GET server -2 a - all_nodes
SLOWLOG|HELP server 2
SLOWLOG|LEN server 2 a - all_nodes agg_sum
SLOWLOG|RESET server 2 a - all_nodes all_succeeded
SMEMBERS set 2 r 1
SMISMEMBER set -3 r 1
SMOVE set 4 w 1,2
SORT generic -2 w sort
SORT_RO generic -2 r sort
SPOP set -2 w 1
SPUBLISH pubsub 3 p 1
SRANDMEMBER set -2 r 1
SREM set -3 w 1
SSCAN set -3 r 1
SSUBSCRIBE pubsub -2 np 1..-1
STRLEN string 2 r 1
SUBSCRIBE pubsub -2 np
SUBSTR string 4 r 1
SUNION set -2 r 1..-1
SUNIONCARD newer 0 r #1@2
SUNIONSTORE set -3 w 1,2..-1
SUNSUBSCRIBE pubsub -1 np 1..-1
SWAPDB server 3 w
SYNC server 1 an
TDIGEST.ADD module:tdigest 0 w 1
TDIGEST.BYRANK module:tdigest 0 r 1
TDIGEST.BYREVRANK module:tdigest 0 r 1
TDIGEST.CDF module:tdigest 0 r 1
TDIGEST.CREATE module:tdigest 0 w 1
TDIGEST.INFO module:tdigest 0 r 1
TDIGEST.MAX module:tdigest 0 r 1
TDIGEST.MERGE module:tdigest 0 w 1,#2@3
TDIGEST.MIN module:tdigest 0 r 1
TDIGEST.QUANTILE module:tdigest 0 r 1
TDIGEST.RANK module:tdigest 0 r 1
TDIGEST.RESET module:tdigest 0 w 1
TDIGEST.REVRANK module:tdigest 0 r 1
TDIGEST.TRIMMED_MEAN module:tdigest 0 r 1
TIME server 1 r
TIMESERIES.REFRESHCLUSTER module:timeseries 0 nr
TOPK.ADD module:topk 0 w 1
TOPK.COUNT module:topk 0 r 1
TOPK.INCRBY module:topk 0 w 1
TOPK.INFO module:topk 0 r 1
TOPK.LIST module:topk 0 r 1
TOPK.QUERY module:topk 0 r 1
TOPK.RESERVE module:topk 0 w 1
TOUCH generic -2 r 1..-1 multi_shard agg_sum
TRIMSLOTS newer 0 w
TS.ADD module:ts 0 w 1
TS.ALTER module:ts 0 w 1
TS.CREATE module:ts 0 w 1
TS.CREATERULE module:ts 0 w 1..2
TS.DECRBY module:ts 0 w 1
TS.DEL module:ts 0 w 1
TS.DELETERULE module:ts 0 w 1..2
TS.GET module:ts 0 r 1
TS.INCRBY module:ts 0 w 1
TS.INFO module:ts 0 r 1
TS.MADD module:ts 0 w 1..-1/3
TS.MGET module:ts 0 r ?
TS.MRANGE module:ts 0 r ?
TS.MREVRANGE module:ts 0 r ?
TS.NRANGE module:ts 0 r ?
TS.NREVRANGE module:ts 0 r ?
TS.QUERYINDEX module:ts 0 r ?
TS.QUERYLABELS module:ts 0 r ?
TS.RANGE module:ts 0 r 1
TS.READ module:ts 0 r ?
TS.REVRANGE module:ts 0 r 1
TTL generic 2 r 1
TYPE generic 2 r 1
UNLINK generic -2 w 1..-1 multi_shard agg_sum
UNSUBSCRIBE pubsub -1 np
UNWATCH transactions 1 n
VADD newer 0 w 1
VCARD newer 0 r 1
VDIM newer 0 r 1
VEMB newer 0 r 1
VGETATTR newer 0 r 1
VINFO newer 0 r 1
VISMEMBER newer 0 r 1
VLINKS newer 0 r 1
VRANDMEMBER newer 0 r 1
VRANGE newer 0 r 1
VREM newer 0 w 1
VSETATTR newer 0 w 1
VSIM newer 0 r 1
WAIT generic 3 b - all_shards agg_min
WAITAOF generic 4 b - all_shards agg_min
WATCH transactions -2 n 1..-1
XACK stream -4 w 1
XACKDEL newer 0 w 1
XADD stream -5 w 1
XAUTOCLAIM stream -6 w 1
XCFGSET newer 0 w 1
XCLAIM stream -6 w 1
XDEL stream -3 w 1
XDELEX newer 0 w 1
XGROUP stream -2
XGROUP|CREATE stream -5 w 2
XGROUP|CREATECONSUMER stream 5 w 2
XGROUP|DELCONSUMER stream 5 w 2
XGROUP|DESTROY stream 4 w 2
XGROUP|HELP stream 2
XGROUP|SETID stream -5 w 2
XIDMPRECORD newer 0 w ?
XINFO stream -2
XINFO|CONSUMERS stream 4 r 2
XINFO|GROUPS stream 3 r 2
XINFO|HELP stream 2
XINFO|STREAM stream -3 r 2
XLEN stream 2 r 1
XNACK newer 0 w 1
XPENDING stream -3 r 1
XRANGE stream -4 r 1
XREAD stream -4 br streams
XREADGROUP stream -7 bw streams
XREVRANGE stream -4 r 1
XSETID stream -3 w 1
XTRIM stream -4 w 1
ZADD sorted_set -4 w 1
ZCARD sorted_set 2 r 1
ZCOUNT sorted_set 4 r 1
ZDIFF sorted_set -3 r #1@2
ZDIFFSTORE sorted_set -4 w 1,#2@3
ZINCRBY sorted_set 4 w 1
ZINTER sorted_set -3 r #1@2
ZINTERCARD sorted_set -3 r #1@2
ZINTERSTORE sorted_set -4 w 1,#2@3
ZLEXCOUNT sorted_set 4 r 1
ZMPOP sorted_set -4 w #1@2
ZMSCORE sorted_set -3 r 1
ZPOPMAX sorted_set -2 w 1
ZPOPMIN sorted_set -2 w 1
ZRANDMEMBER sorted_set -2 r 1
ZRANGE sorted_set -4 r 1
ZRANGEBYLEX sorted_set -4 r 1
ZRANGEBYSCORE sorted_set -4 r 1
ZRANGESTORE sorted_set -5 w 1,2
ZRANK sorted_set -3 r 1
ZREM sorted_set -3 w 1
ZREMRANGEBYLEX sorted_set 4 w 1
ZREMRANGEBYRANK sorted_set 4 w 1
ZREMRANGEBYSCORE sorted_set 4 w 1
ZREVRANGE sorted_set -4 r 1
ZREVRANGEBYLEX sorted_set -4 r 1
ZREVRANGEBYSCORE sorted_set -4 r 1
ZREVRANK sorted_set -3 r 1
ZSCAN sorted_set -3 r 1
ZSCORE sorted_set 3 r 1
ZUNION sorted_set -3 r #1@2
ZUNIONSTORE sorted_set -4 w 1,#2@3
`;
