import { arrayOf, elementsOf, errorOf, integerOf, isError, lineOf } from "../resp/replies.js";
import type { BufferBudget } from "../util/buffer-budget.js";
import { MINUS, STAR } from "../util/bytes.js";
import { type Receiver, UpstreamFailure } from "./failure.js";
import { NO_ROOM } from "./in-flight-connection.js";

/** Combines the replies of several nodes into one reply. None of the replies may be an error. */
export type Combine = (replies: readonly Buffer[]) => Buffer;

/** Collects the replies to the parts of a command, and passes on one reply. The tag of a part is its index. */
export class Merge implements Receiver {
  readonly #replies: Buffer[];
  readonly #failures: UpstreamFailure[] = [];
  #open: number;
  /** Bytes taken from the budget. */
  #taken = 0;

  /**
   * @param oneIsEnough whether errors are ignored if a part has succeeded
   * @param budget counts replies until all have arrived; default: no limit
   */
  constructor(
    readonly receiver: Receiver,
    readonly tag: number,
    parts: number,
    readonly combine: Combine,
    readonly writes: boolean,
    readonly oneIsEnough = false,
    readonly budget?: BufferBudget,
  ) {
    this.#replies = new Array(parts);
    this.#open = parts;
  }

  get cancelled(): boolean {
    return this.receiver.cancelled;
  }

  onReply(reply: Buffer, part: number): void {
    // Counted twice, because in the end the replies are copied into one.
    const bytes = 2 * reply.length;
    if (this.budget) {
      if (!this.budget.take(bytes)) {
        this.onFailure(NO_ROOM);
        return;
      }
      this.#taken += bytes;
    }
    this.#replies[part] = reply;
    this.#settle();
  }

  onFailure(failure: UpstreamFailure): void {
    this.#failures.push(failure);
    this.#settle();
  }

  #settle(): void {
    if (--this.#open > 0) return;
    const { receiver, tag } = this;
    if (this.#taken > 0) this.budget!.give(this.#taken);
    const replies = this.#replies.filter((reply) => reply !== undefined);
    const good = replies.filter((reply) => !isError(reply));
    const isDone = good.length === this.#replies.length || (this.oneIsEnough && good.length > 0);
    const [failure] = this.#failures;
    if (isDone) receiver.onReply(this.combine(good), tag);
    else if (!failure) receiver.onReply(replies.find(isError)!, tag);
    else {
      const unknown = this.#failures.find(({ outcome }) => outcome === "unknown");
      const isPartial = !unknown && this.writes && good.length > 0;
      const message = `only a part of the command ran: ${failure.message}`;
      receiver.onFailure(isPartial ? new UpstreamFailure("partial", message) : (unknown ?? failure), tag);
    }
  }
}

const integers = (replies: readonly Buffer[]): bigint[] => replies.map((reply) => BigInt(lineOf(reply)));

const sum: Combine = (replies) => integerOf(integers(replies).reduce((total, value) => total + value, 0n));

const least: Combine = (replies) =>
  integerOf(integers(replies).reduce((lowest, value) => (value < lowest ? value : lowest)));

/** Combines the first elements of lists of the same length, the second ones, and so on. */
const each =
  (combine: (elements: readonly Buffer[], at: number) => Buffer): Combine =>
  (replies) => {
    const lists = replies.map(elementsOf);
    const elementsAt = (at: number) => lists.map((list) => list[at]!);
    return arrayOf(lists[0]!.map((_, at) => combine(elementsAt(at), at)));
  };

const leastOfEach = each(least);
const first: Combine = (replies) => replies[0]!;

/**
 * Ways to combine the replies of several nodes, under the names of Redis's documentation.
 * @see https://redis.io/docs/latest/develop/reference/command-tips/#response_policy
 */
export const combiners = {
  agg_sum: sum,
  // WAIT replies with a number, WAITAOF with two.
  agg_min: (replies: readonly Buffer[]) => (replies[0]![0] === STAR ? leastOfEach : least)(replies),
  all_succeeded: first,
  one_succeeded: first,
  agg_logical_and: each(least),
  /** Joins lists, without duplicates. */
  union: (replies: readonly Buffer[]) => {
    const elements = new Map<string, Buffer>();
    for (const element of replies.flatMap(elementsOf)) elements.set(element.toString("latin1"), element);
    return arrayOf([...elements.values()]);
  },
  /** Joins lists. */
  concat: (replies: readonly Buffer[]) => arrayOf(replies.flatMap(elementsOf)),
  /** Any reply that is not null. */
  random: (replies: readonly Buffer[]) => {
    const found = replies.filter((reply) => reply[1] !== MINUS);
    return found[Math.floor(Math.random() * found.length)] ?? replies[0]!;
  },
  /** Adds up lists of the same names, each of which is followed by a number. */
  sum_pairs: each((elements, at) => (at % 2 === 0 ? elements[0]! : sum(elements))),
} satisfies Record<string, Combine>;

/** Joins the replies of parts into one list, in the order of the command's keys. `indexes` has the places of each part's keys. */
export function inOrderOf(indexes: readonly (readonly number[])[]): Combine {
  return (replies) => {
    const elements: Buffer[] = [];
    replies.forEach((reply, part) => {
      elementsOf(reply).forEach((element, at) => {
        elements[indexes[part]![at]!] = element;
      });
    });
    return arrayOf(elements);
  };
}

/** The error for a command whose keys are in several slots and that can't be split. */
export const CROSS_SLOT = errorOf(
  "CROSSSLOT Keys in request don't hash to the same slot: give them a common hash tag, such as {user:1}:name and {user:1}:age",
);
