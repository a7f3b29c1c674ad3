import type { BudgetPart } from "../util/buffer-budget.js";

/** The largest body of a response that is kept, in bytes. */
const MAX_KEPT = 64 * 1_024;

/** One arrival of a numbered request, which waits for its response. */
export interface Copy {
  /** Whether its sender no longer waits. */
  readonly isOver: boolean;
  respond(status: number, type: string, body: Buffer, more: readonly string[]): void;
  /**
   * Responds that this copy is not run.
   * @param why the end of a sentence that begins with the request
   * @param outcome `unknown` if another copy may have been run
   * @param alone if another process may know more: the time in s up to now in which none can have run a copy; null if it is not known
   */
  refuseNumber(why: string, outcome: "unsent" | "unknown", alone?: number | null): void;
  /** Responds that there is no memory. */
  unsent(): void;
}

interface Response {
  readonly status: number;
  readonly type: string;
  /** In Latin-1: a string of one byte per character takes less memory than a buffer. */
  readonly body: string;
  readonly more: readonly string[];
}

/** A request with a number, which is run once, and its response, which each of its copies gets. */
export class NumberedRequest {
  #copies: Copy[] | null;
  #response: Response | null = null;
  #isForgotten = false;

  /** @param budget counts the response while it is kept */
  constructor(
    readonly sequence: number,
    readonly nonce: string,
    readonly digest: number,
    first: Copy,
    private readonly budget: BudgetPart,
  ) {
    this.#copies = [first];
  }

  get isRunning(): boolean {
    return this.#copies !== null;
  }

  /** Whether a sender of a copy waits for the response. */
  get isAwaited(): boolean {
    return this.#copies?.some(({ isOver }) => !isOver) ?? false;
  }

  /** Gives a further copy the response, when it is there. */
  join(copy: Copy): void {
    if (this.#copies) this.#copies.push(copy);
    else if (this.#response) {
      const { status, type, body, more } = this.#response;
      copy.respond(status, type, Buffer.from(body, "latin1"), more);
    } else copy.refuseNumber("was run, and its response was not kept", "unknown");
  }

  /** Keeps the response, if it is not too large, and sends it to all copies but the first, which responds by itself. */
  settle(status: number, type: string, body: Buffer, more: readonly string[]): void {
    const [, ...copies] = this.#end();
    if (!this.#isForgotten && body.length <= MAX_KEPT && this.budget.take(body.length)) {
      this.#response = { status, type, body: body.toString("latin1"), more };
    }
    for (const copy of copies) copy.respond(status, type, body, more);
  }

  /** Its response is not kept, since it is sent in parts, or is of use to one reader only. */
  unkept(): void {
    const [, ...copies] = this.#end();
    for (const copy of copies) this.join(copy);
  }

  /** Drops its response, and does not keep one that comes later. */
  forget(): void {
    this.#isForgotten = true;
    if (this.#response) this.budget.give(this.#response.body.length);
    this.#response = null;
  }

  #end(): Copy[] {
    const copies = this.#copies ?? [];
    this.#copies = null;
    return copies;
  }
}
