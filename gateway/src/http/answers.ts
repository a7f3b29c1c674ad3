import type { Quota } from "../access/quota.js";
import type { CommandFacts } from "../commands/facts.js";
import type { CommandCounts } from "../metrics/commands.js";
import type { Receiver, UpstreamFailure } from "../upstream/failure.js";
import { TURN } from "../upstream/lot.js";
import type { TransactionReceiver } from "../upstream/upstream.js";
import { type Exchange, JSON_TYPE, RESP_TYPE } from "./exchange.js";
import { jsonElements, jsonReplies, jsonReply } from "./json-reply.js";
import { inTurns } from "./turns.js";

const MINUS = 0x2d;
const STAR = 0x2a;
/** Bytes of replies that are made into an answer at a time, but for one that is larger. */
const TURN_BYTES = 512 * 1_024;

/** The answer to one command. */
export class SingleAnswer implements Receiver {
  /**
   * @param facts the command's; null for one that is not known
   * @param counts where its reply is counted
   * @param quota where the command is counted until it is over
   */
  constructor(
    readonly exchange: Exchange,
    readonly facts: CommandFacts | null,
    readonly counts: CommandCounts,
    readonly quota: Quota,
  ) {
    exchange.sent();
  }

  get abandoned(): boolean {
    return this.exchange.gone;
  }

  onReply(reply: Buffer): void {
    const { exchange, facts, counts } = this;
    this.quota.leave(1, exchange.blocks);
    counts.replied(facts, exchange.replied());
    const isError = reply[0] === MINUS;
    if (isError) counts.failed(facts);
    if (exchange.gone) return;
    exchange.guard(() => {
      const status = isError ? 400 : 200;
      if (exchange.format === "resp2") exchange.answer(status, RESP_TYPE, reply);
      else exchange.answer(status, JSON_TYPE, jsonReply(reply, exchange.format === "base64"));
    });
  }

  onFailure(failure: UpstreamFailure): void {
    this.quota.leave(1, this.exchange.blocks);
    this.counts.failed(this.facts);
    this.exchange.failure(failure);
  }
}

/** The answer to a pipeline: each command has its own fate. */
export class PipelineAnswer implements Receiver {
  readonly #replies: Buffer[];
  #open: number;

  /**
   * @param size the number of commands, refused ones included
   * @param places where in the pipeline each command that was sent stands
   * @param onError called with the place of each command whose reply is an error
   * @param onSettled called when every command is answered, refused or failed
   */
  constructor(
    readonly exchange: Exchange,
    size: number,
    readonly places: readonly number[],
    readonly onError: (place: number) => void,
    readonly onSettled: () => void = () => {},
  ) {
    this.#replies = new Array(size);
    this.#open = size;
    exchange.sent();
  }

  get abandoned(): boolean {
    return this.exchange.gone;
  }

  /** Settles the command at `place` with an error of the gateway. */
  refuse(place: number, text: string): void {
    this.#settle(place, Buffer.from(`-${text.replace(/[\r\n]/g, " ")}\r\n`));
  }

  onReply(reply: Buffer, tag: number): void {
    this.#settle(this.places[tag]!, reply);
  }

  onFailure(failure: UpstreamFailure, tag: number): void {
    this.refuse(this.places[tag]!, `${failure.code} ${failure.message}`);
  }

  #settle(place: number, reply: Buffer): void {
    this.#replies[place] = reply;
    if (reply[0] === MINUS) this.onError(place);
    if (--this.#open > 0) return;
    if (this.places.length > 0) this.exchange.replied();
    this.onSettled();
    this.#answer();
  }

  #answer(): void {
    const { exchange } = this;
    const replies = this.#replies;
    const isResp = exchange.format === "resp2";
    const parts: Buffer[] = isResp ? [Buffer.from(`*${replies.length}\r\n`)] : [];
    let next = 0;
    inTurns(exchange, () => {
      const first = next;
      for (let bytes = 0; next < replies.length && next - first < TURN && bytes < TURN_BYTES; next++)
        bytes += replies[next]!.length;
      if (isResp) parts.push(...replies.slice(first, next));
      else parts.push(jsonReplies(replies, exchange.format === "base64", first, next));
      if (next < replies.length) return true;
      const body = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      exchange.answer(200, isResp ? RESP_TYPE : JSON_TYPE, body);
      return false;
    });
  }
}

/** The answer to a transaction: one error when it was discarded, else each command's result. */
export class TransactionAnswer implements TransactionReceiver {
  /**
   * @param names the names of the commands
   * @param onSettled called when the transaction is answered or failed
   */
  constructor(
    readonly exchange: Exchange,
    readonly names: readonly string[],
    readonly onSettled: () => void,
  ) {
    exchange.sent();
  }

  get abandoned(): boolean {
    return this.exchange.gone;
  }

  onExec(reply: Buffer, refused: ReadonlyMap<number, Buffer>): void {
    const { exchange } = this;
    this.onSettled();
    exchange.replied();
    if (exchange.gone) return;
    exchange.guard(() => {
      const isResp = exchange.format === "resp2";
      if (reply[0] !== STAR || reply[1] === MINUS) {
        const text = this.#discarded(reply, refused);
        if (isResp) exchange.answer(400, RESP_TYPE, Buffer.from(`-${text}\r\n`));
        else exchange.error(400, text);
      } else if (isResp) exchange.answer(200, RESP_TYPE, reply);
      else exchange.answer(200, JSON_TYPE, jsonElements(reply, exchange.format === "base64"));
    });
  }

  onFailure(failure: UpstreamFailure): void {
    this.onSettled();
    this.exchange.failure(failure);
  }

  #discarded(reply: Buffer, refused: ReadonlyMap<number, Buffer>): string {
    const [first] = refused;
    if (!first) return reply[0] === MINUS ? errorText(reply) : "EXECABORT Transaction discarded.";
    const [index, error] = first;
    return discarded(index, this.names.length, this.names[index]!, errorText(error));
  }
}

/** The text that says which command a transaction was discarded for. */
export function discarded(index: number, of: number, name: string, text: string): string {
  const which = `command ${index + 1} of ${of}, '${name.toLowerCase()}'`;
  return `EXECABORT Transaction discarded because of previous errors. ${which}: ${text}`;
}

function errorText(reply: Buffer): string {
  return reply.toString("utf8", 1, reply.length - 2);
}
