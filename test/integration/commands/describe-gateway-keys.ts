import fc from "fast-check";
import { beforeAll, describe, expect, type TestOptions, test } from "vitest";
import { type CommandInfo, getCommandInfo } from "../../../gateway/src/commands/command-info.js";
import { getKeyIndexes } from "../../../gateway/src/commands/keys.js";
import { command } from "../../../gateway/src/resp/command.js";
import { connectRedis, type RedisServer, type Resp, type RespError } from "../../../testbed/src/index.js";
import { sharedByTests } from "../../support/lifetime.js";
import { SEED } from "../../support/random-tests.js";

const RUNS = 60;

/** Words that are options of some commands. */
const OPTIONS =
  `STORE storedist GET BY LIMIT ASC COUNT WITHDIST STREAMS streams GROUP BLOCK NOACK KEYS copy REPLACE AUTH AUTH2 MAX
MATCH TYPE WEIGHTS AGGREGATE SUM ENCODING`.split(/\s+/);
const anyWord = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("k", "user:1", "{tag}a", "b", "k k", "") },
  { weight: 3, arbitrary: fc.constantFrom("0", "1", "2", "3", "-1", "02", "1.5") },
  { weight: 2, arbitrary: fc.constantFrom(...OPTIONS) },
  { weight: 1, arbitrary: fc.string() },
);

/** Calls written by hand, with arguments that random ones would rarely hit. */
const CALLS = [
  ["EVAL", "return 1", "2", "a", "b", "c"],
  ["EVALSHA", "0".repeat(40), "1", "a"],
  ["EVALSHA_RO", "0".repeat(40), "1", "a"],
  ["EVAL_RO", "return 1", "0", "a"],
  ["FCALL", "f", "3", "a", "b", "c"],
  ["FCALL_RO", "f", "1", "a", "b"],
  ["SORT", "a", "BY", "STORE", "GET", "STORE", "STORE", "b"],
  ["SORT", "a", "LIMIT", "0", "1", "store", "b", "DESC"],
  ["SORT_RO", "a", "GET", "#"],
  ["GEORADIUS", "g", "1", "2", "3", "m", "STORE", "a", "STOREDIST", "b"],
  ["GEORADIUS", "g", "1", "2", "3", "m", "COUNT", "1", "storedist", "b"],
  ["GEORADIUSBYMEMBER", "g", "STORE", "3", "m", "STORE", "a"],
  ["XREAD", "COUNT", "2", "BLOCK", "1", "STREAMS", "a", "STREAMS", "0", "1"],
  ["XREADGROUP", "GROUP", "STREAMS", "c", "NOACK", "STREAMS", "a", "b", ">", ">"],
  ["ZUNIONSTORE", "d", "2", "a", "b", "WEIGHTS", "1", "2"],
  ["ZINTERSTORE", "d", "1", "a"],
  ["ZDIFF", "2", "a", "b", "WITHSCORES"],
  ["ZDIFFSTORE", "d", "2", "a", "b"],
  ["ZINTER", "2", "a", "b", "WEIGHTS", "1", "2"],
  ["ZINTERCARD", "1", "a", "LIMIT", "1"],
  ["ZUNION", "2", "a", "b"],
  ["ZMPOP", "2", "a", "b", "MIN"],
  ["BZMPOP", "1", "2", "a", "b", "MIN"],
  ["BLMPOP", "1", "1", "a", "LEFT"],
  ["LMPOP", "2", "a", "b", "LEFT"],
  ["SINTERCARD", "2", "a", "b", "LIMIT", "1"],
  ["OBJECT", "ENCODING", "a"],
  ["object", "freq", "a"],
  ["MEMORY", "USAGE", "a", "SAMPLES", "1"],
  ["XINFO", "STREAM", "a", "FULL"],
  ["XGROUP", "CREATE", "a", "g", "$"],
  ["XGROUP", "DESTROY", "a", "g"],
  ["MSET", "a", "1", "b", "2"],
  ["BITOP", "AND", "d", "a", "b"],
  ["LMOVE", "a", "b", "LEFT", "RIGHT"],
  ["COPY", "a", "b", "DB", "1"],
  ["BLPOP", "a", "b", "1"],
  ["WATCH", "a", "b"],
  ["PFMERGE", "d", "a", "b"],
  ["LCS", "a", "b", "LEN"],
];

/** Commands with an argument that determines the node like a key, but is a channel. */
const CHANNELS = new Set(["SPUBLISH", "SSUBSCRIBE", "SUNSUBSCRIBE"]);

/**
 * Registers tests that the gateway finds the keys that a server finds.
 * @param name the name of the server, for the titles of the tests
 * @param start starts the server
 * @param options options of the group of tests, such as a tag for what the server needs
 */
export function describeGatewayKeys(
  name: string,
  start: () => Promise<RedisServer>,
  options: TestOptions,
): void {
  describe(`the keys that the gateway finds, and ${name}`, options, () => {
    let known: string[][];
    const server = sharedByTests(() => start());
    const redis = sharedByTests(() => connectRedis({ path: server.path! }));
    beforeAll(async () => {
      const list = (await redis.command("COMMAND", "LIST")) as Resp[];
      const names = list.map((each) => String(each).toUpperCase());
      const containers = new Set(
        names.filter((name) => name.includes("|")).map((name) => name.split("|")[0]),
      );
      known = names.filter((name) => !containers.has(name)).map((name) => name.split("|"));
    });

    /** Returns the keys that Redis finds, or why there are none. `older`: this Redis takes fewer arguments. */
    async function redisKeys(args: readonly string[]): Promise<string[] | "none" | "refused" | "older"> {
      // GETKEYS itself accepts no command without arguments.
      if (args.length === 1) return "none";
      const found = await redis.command("COMMAND", "GETKEYS", ...args).catch((error: RespError) => error);
      if (!(found instanceof Error)) return (found as Resp[]).map((key) => String(key));
      if (/no key arguments/.test(found.message)) return "none";
      // Some commands took fewer arguments in this Redis than they do now.
      if (/Invalid number of arguments/.test(found.message)) return "older";
      expect(found.message).toMatch(/Invalid arguments|Invalid command specified/);
      return "refused";
    }

    function ours(args: readonly string[]): string[] | null {
      const places = getKeyIndexes(command(...args));
      return places?.map((place) => args[place]!) ?? null;
    }

    test.each(CALLS.map((args) => [args] as const))("the gateway finds the keys of %j", async (args) => {
      const found = await redisKeys(args);
      expect(ours(args)).toEqual(found === "none" ? [] : found);
      expect(ours(args)).not.toBeNull();
    });

    test("SORT_RO stores nothing", () => {
      expect(ours(["SORT_RO", "k", "STORE", "k"])).toBeNull();
    });

    test("the gateway's keys are Redis's for any arguments of any command", async () => {
      const compared = new Map<string, number>();
      for (const path of known) {
        if (CHANNELS.has(path[0]!)) continue;
        const facts = getCommandInfo(command(...path));
        expect(facts, path.join(" ")).not.toBeNull();
        // The arity of some commands is not known.
        const least = Math.max(0, Math.abs(facts!.arity) - path.length);
        const most = facts!.arity > 0 ? least : least + 6;
        const compare = async (rest: string[]) => {
          const args = [...path, ...rest];
          const mine = ours(args);
          // The gateway takes these arguments for malformed, and refuses them wherever keys matter.
          if (mine === null) return;
          const theirs = await redisKeys(args);
          if (theirs === "older") return;
          if (theirs === "refused")
            expect({ words: args, mine: hasNone(facts!, args) }).toEqual({ words: args, mine: true });
          else
            expect({ words: args, keys: mine.sort() }).toEqual({
              words: args,
              keys: theirs === "none" ? [] : theirs.sort(),
            });
          if (mine.length > 0) compared.set(facts!.name, (compared.get(facts!.name) ?? 0) + 1);
        };
        const drawn = fc.sample(fc.array(anyWord, { minLength: least, maxLength: most }), {
          numRuns: RUNS,
          seed: SEED,
        });
        // All at once: Redis answers them in one go.
        await Promise.all(drawn.map(compare));
      }
      // Random arguments rarely form an XREAD, but some of the calls above are one.
      const never = known
        .map((path) => getCommandInfo(command(...path))!)
        .filter(({ name, keys }) => !["-", "?"].includes(keys) && !compared.has(name))
        .filter(({ name }) => !CHANNELS.has(name) && !CALLS.some((args) => args[0] === name));
      expect(never.map(({ name }) => name)).toEqual([]);
    });

    /** Whether Redis has reason to find no keys: none are meant, or none are counted. */
    function hasNone({ name, keys }: CommandInfo, args: readonly string[]): boolean {
      // PFMERGE needs no source, though the description of its keys has one.
      if (name === "PFMERGE") return args.length === 2;
      const counted = /#(\d+)@/.exec(keys);
      return keys === "-" || (counted !== null && args[Number(counted[1])] === "0");
    }
  });
}
