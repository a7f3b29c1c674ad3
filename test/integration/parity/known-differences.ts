const NAMES = "names, ids and text stay text, whatever they look like";
const LACKING = "the reference client has no such option, and silently drops it";
const LEFT_OUT = "an omitted argument is not sent, rather than sent as null";
const ZERO = "0 is sent like any other number, rather than treated as an omitted option";
const NUMBERS = "a score or sum is a number, whatever its size";
const EXACTLY = "`=` is Redis's default, and is not sent";

/**
 * Differences between warmline and the reference client on the samples of `test/unit/commands/samples`. Maps the arguments
 * sent and the reply received to the reason. The guide for users is `docs/migrate-from-upstash.md`.
 */
export const differences = new Map<string, string>([
  ['GETRANGE k 0 -1 -> "12"', NAMES],
  ['HKEYS h -> ["1","true"]', NAMES],
  ['HRANDFIELD h -> "1"', NAMES],
  ['HRANDFIELD h 2 -> ["1","2"]', NAMES],
  ['HSCAN h 0 -> ["0",["1","2"]]', NAMES],
  ['KEYS * -> ["1","true","{}"]', NAMES],
  ['RANDOMKEY -> "123"', NAMES],
  ['SCAN 0 -> ["0",["1","2"]]', NAMES],
  ['ECHO 12 -> "12"', NAMES],
  ['GEOHASH g <"a"> -> ["1234"]', NAMES],
  ['XINFO GROUPS s -> [["name","1","pending",0]]', NAMES],
  ['XPENDING s g - + 10 -> [["1-1","7",5,1]]', NAMES],
  ['XREAD STREAMS a b 0 1-1 -> [["1",[]]]', NAMES],
  ['JSON.OBJKEYS d $ -> [["1","a"],null]', NAMES],

  ['SET k <"v"> IFEQ <[1]> EX 5 -> "OK"', LACKING],
  ['SET k <"v"> IFDEQ 00ff -> null', LACKING],
  ['HSCAN h 0 NOVALUES -> ["0",["1"]]', LACKING],
  ['ZRANK z <"m"> WITHSCORE -> [0,"1.5"]', LACKING],
  ["COPY a b DB 1 REPLACE -> 0", LACKING],
  ["BITCOUNT k 0 9 BIT -> 3", LACKING],
  ['XINFO STREAM s FULL COUNT 1 -> ["length",2]', LACKING],

  ["LPOP l -> null", LEFT_OUT],
  ["JSON.ARRINDEX d $.a 1 0 5 -> [2]", "an omitted start is sent as 0, Redis's default, rather than as null"],
  ['JSON.ARRPOP d $ 0 -> ["1"]', "an omitted path is sent as `$`, rather than as null"],
  ["BITPOS k 0 -> 5", LEFT_OUT],
  ['XPENDING s g -> [1,"1-1","1-1",[["7","1"]]]', LEFT_OUT],
  ["XPENDING s g -> [0,null,null,null]", LEFT_OUT],
  ['GEODIST g <"a"> <1> -> "166274.1516"', "without a unit, none is sent, and Redis uses metres"],

  [
    'GEODIST g <"a"> <"b"> M -> "545518.8700"',
    "a distance is a number, even where the reference client returns text that ends in zeros",
  ],

  ['GEOADD g 0 0 <{"at":0}> 13.361389 38.115556 <"Palermo"> -> 2', ZERO],
  [
    'XCLAIM s g c 0 1-1 2-0 IDLE 0 TIME 7 RETRYCOUNT 3 FORCE JUSTID LASTID 2-0 -> ["1-1"]',
    `${ZERO}; the time is sent even with an idle time`,
  ],

  ['ZADD z -inf <"a"> -> 1', "an infinite score is sent as Redis writes it, rather than as null"],
  ['ZADD z inf <"a"> -> 1', "an infinite score is sent as Redis writes it, rather than as null"],
  [
    'ZADD z LT INCR 1 <"a"> -> "3.5"',
    "the same options in another order, which makes no difference to Redis",
  ],
  ['ZINCRBY z 1.5 <"m"> -> "-inf"', NUMBERS],
  ['ZSCORE z <"m"> -> "1e20"', NUMBERS],

  ['XADD s minid 3-0 * f <1> -> "1-1"', EXACTLY],
  ["XTRIM s MAXLEN 0 -> 2", EXACTLY],

  ['HGETALL h -> ["1","2","__proto__","[3]"]', "a field may be called `__proto__`"],
  ["HGETALL h -> null", "null, which some servers return for a missing hash, is not a TypeError"],
  ['GEOPOS g <"a"> <"b"> -> [["0","1.5"],null]', "a missing member is null in its place, not left out"],
  ['JSON.GET d $.id -> "[9007199254740993]"', "an integer that a number would round stays text"],
]);
