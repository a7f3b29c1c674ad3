import { blockingTime } from "../commands/blocking.js";
import { hasRow } from "../commands/write.js";
import { misconfigured } from "../config.js";
import type { Word } from "../wire/words.js";
import { keysOf } from "./keys.js";
import { MOST_WORDS, onceScript } from "./script.js";
import { inSlotOf } from "./slot.js";

/** Commands that a script can't run, or whose effect no token can guard. */
const REFUSED =
  /^(B(L|R|Z)[A-Z]+|EVAL.*|FCALL.*|FUNCTION|SCRIPT|FLUSH(ALL|DB)|WAIT(AOF)?|MIGRATE|SWAPDB|CLIENT|CONFIG|ACL|SHUTDOWN)$/;

/** Commands that change no data though Redis doesn't flag them as reads: sent as they are, and not repeated. */
const HARMLESS = /^(COMMAND|INFO|LASTSAVE|LOLWUT|PUBSUB|ROLE)$/;

export function needsNoGuard(words: readonly Word[]): boolean {
  return HARMLESS.test(words[0] as string);
}

/** Whether a command can be guarded so. */
export function canRunOnce(words: readonly Word[]): boolean {
  return refusal(words) === undefined;
}

/**
 * The words that run a command at most once, however often they are delivered: a script keeps the first reply under
 * a token in the slot of the command's keys.
 * @param lifetime how long the reply is kept, in ms; a delivery after that applies again.
 * @throws ConfigError for commands that can't be guarded so.
 */
export function once(words: readonly Word[], lifetime: number, upstash: boolean): Word[] {
  const name = words[0] as string;
  const reason = refusal(words);
  if (reason)
    throw misconfigured(
      `${name} can't be run exactly once: ${reason}; use redis.with({ writes: "safe" }) for it`,
    );
  const keys = keysOf(words);
  const id = `:wl:${randomId()}`;
  const token = keys.length > 0 ? inSlotOf(bytesOf(keys[0]!), id) : id;
  return [
    "EVAL",
    onceScript(upstash),
    String(keys.length + 1),
    plain(token),
    ...keys,
    String(lifetime),
    ...words,
  ];
}

function refusal(words: readonly Word[]): string | undefined {
  if (REFUSED.test(words[0] as string) || needsNoGuard(words)) return "no script can run it";
  if (blockingTime(words) !== undefined) return "a script doesn't wait";
  if (!hasRow(words)) return "warmline doesn't know which of its words are keys";
  if (words.length > MOST_WORDS) return `it has more than ${MOST_WORDS} words`;
  if (keysOf(words).length === 0 && words[0] !== "PUBLISH") return "it has no key to keep a token beside";
  return undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function bytesOf(word: Word): Uint8Array {
  return typeof word === "string" ? encoder.encode(word) : word;
}

/** As text where it is text, since not every endpoint takes bytes. */
function plain(word: Word): Word {
  if (typeof word === "string") return word;
  try {
    return decoder.decode(word);
  } catch {
    return word;
  }
}

// Not a counter with a random prefix: a process restored from a snapshot would count on from the same place.
function randomId(): string {
  let id = "";
  for (const number of crypto.getRandomValues(new Uint32Array(3))) id += number.toString(36);
  return id;
}
