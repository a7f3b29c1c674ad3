import type { Quota } from "../access/quota.js";
import type { CommandInfo } from "../commands/command-info.js";
import { MAX_COPIED_BODY } from "../http/response-head.js";
import type { CommandCounts } from "../metrics/commands.js";
import { CHUNK_COMMANDS } from "../redis/command-batch.js";
import type { Receiver, ReplyStream, UpstreamFailure } from "../redis/failure.js";
import { NO_ROOM } from "../redis/in-flight-connection.js";
import type { TransactionReceiver } from "../redis/upstream.js";
import { LARGE_REPLY } from "../resp/framer.js";
import { errorOf, isError, lineOf } from "../resp/replies.js";
import { EMPTY, MINUS, STAR } from "../util/bytes.js";
import { type Exchange, JSON_TYPE, RESP_TYPE } from "./exchange.js";
import { JsonEncoder, jsonOf, RespEncoder, type Shape } from "./json-encoder.js";
import { REPLY_SHARE, type ReplyBody } from "./reply-body.js";

/** Maximum number of replies to a pipeline that are encoded together. Above it, they are streamed. */
const MANY_REPLIES = 2 * CHUNK_COMMANDS;

/** Replaces a reply of a pipeline that does not fit in memory. */
const NO_ROOM_REPLY = errorOf(`${NO_ROOM.code} ${NO_ROOM.message}`);

/**
 * Begins a response to which replies are written as they arrive. Returns null if the client is gone or there is no memory for
 * it.
 */
function startBody(
  exchange: Exchange,
  status: number,
  shape: Shape,
  size: number | null,
  reserved = 0,
): ReplyBody | null {
  const { format } = exchange;
  if (format === "resp2") return exchange.startBody(status, RESP_TYPE, new RespEncoder(size), reserved);
  return exchange.startBody(status, JSON_TYPE, new JsonEncoder(format === "base64", shape), reserved);
}

/**
 * Passes a large reply on to the body of a response.
 * @param body null if nobody reads the response
 * @param onOver called after the last bytes; `isCut` is whether the reply is incomplete
 */
function streamTo(body: ReplyBody | null, onOver: (isCut: boolean) => void): ReplyStream {
  return {
    write: (bytes) => body?.write(bytes) ?? 0,
    whenBelow: (below, listener) => body?.whenBelow(below, listener),
    end: (failure) => onOver(failure !== null),
  };
}

/** Responds with one reply of Redis, or with that of EXEC. */
function respond(exchange: Exchange, status: number, shape: "one" | "elements", reply: Buffer): void {
  if (reply.length > LARGE_REPLY) {
    const body = startBody(exchange, status, shape, null, reply.length);
    body?.write(reply);
    body?.end();
  } else if (exchange.format === "resp2") exchange.reply(status, RESP_TYPE, reply);
  else exchange.reply(status, JSON_TYPE, jsonOf([reply], exchange.format === "base64", shape));
}

export class SingleResponse implements Receiver {
  /**
   * @param info the facts about the command; null if it is not known
   * @param counts where its reply is counted
   * @param quota where the command is counted until it is over
   */
  constructor(
    readonly exchange: Exchange,
    readonly info: CommandInfo | null,
    readonly counts: CommandCounts,
    readonly quota: Quota,
  ) {
    exchange.sent();
  }

  get cancelled(): boolean {
    return this.exchange.abandoned;
  }

  onReply(reply: Buffer): void {
    const { exchange, info, counts } = this;
    this.#settled();
    counts.replied(info, exchange.record.replied());
    const failed = isError(reply);
    if (failed) counts.failed(info);
    if (exchange.gone) return;
    exchange.guard(() => respond(exchange, failed ? 400 : 200, "one", reply));
  }

  onLarge(_tag: number, first: number): ReplyStream | null {
    // An error comes whole to `onReply`, since its status differs.
    if (first === MINUS) return null;
    const { exchange, info, counts } = this;
    counts.replied(info, exchange.record.replied());
    const body = startBody(exchange, 200, "one", null);
    return streamTo(body, (isCut) => {
      this.#settled();
      if (isCut) counts.failed(info);
      if (isCut) body?.abort();
      else body?.end();
    });
  }

  onFailure(failure: UpstreamFailure): void {
    this.#settled();
    this.counts.failed(this.info);
    this.exchange.failure(failure);
  }

  #settled(): void {
    this.quota.leave(1, this.exchange.record.blocks);
    this.exchange.commandsSettled();
  }
}

/**
 * The response to a pipeline, where each command has its own outcome. Few and small replies are sent together, others as
 * they come.
 */
export class PipelineResponse implements Receiver {
  readonly #replies: (Buffer | null)[];
  #open: number;
  /** Bytes of the replies that are kept until their turn. */
  #kept = 0;
  /** How many of the kept bytes are taken from the budget. */
  #counted = 0;
  /** Whether the response has begun. Without a body it has no reader. */
  #began = false;
  #body: ReplyBody | null = null;
  /** The first place whose reply was not given to the body. */
  #next = 0;
  /** Whether the reply to that place is being written. */
  #inside = false;

  /**
   * @param size the number of commands, including refused ones
   * @param places the index in the pipeline of each command that was sent
   * @param onError called with the place of each command whose reply is an error
   * @param onSettled called when every command has its reply, was refused or failed
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

  get cancelled(): boolean {
    return this.exchange.abandoned;
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

  /** Streams a large reply if the replies before it have been sent. */
  onLarge(tag: number, first: number): ReplyStream | null {
    const place = this.places[tag]!;
    if (first === MINUS) return null;
    if (!this.#began) this.#begin();
    if (place !== this.#next || this.#inside) return null;
    this.#inside = true;
    return streamTo(this.#body, (isCut) => {
      this.#inside = false;
      this.#next++;
      if (isCut) this.#body?.abort();
      this.#settled();
    });
  }

  #settle(place: number, given: Buffer): void {
    const reply = this.#keep(given);
    this.#replies[place] = reply;
    if (isError(reply)) this.onError(place);
    // The response to a numbered request is kept for its other copies, unless it is large.
    const isMany = this.#replies.length > MANY_REPLIES && !this.exchange.numbered;
    if (!this.#began && (this.#kept > LARGE_REPLY || isMany)) this.#begin();
    this.#settled();
  }

  /** Counts a reply until its turn, unless all are small. Returns the error that takes its place if there is no room for it. */
  #keep(reply: Buffer): Buffer {
    const { exchange } = this;
    if (exchange.gone) return EMPTY;
    const kept = this.#kept + reply.length;
    const more = kept > MAX_COPIED_BODY ? kept - this.#counted : 0;
    if (more > 0 && reply.length > NO_ROOM_REPLY.length) {
      if (!exchange.hold(more, REPLY_SHARE)) {
        this.#kept += NO_ROOM_REPLY.length;
        return NO_ROOM_REPLY;
      }
      this.#counted += more;
    }
    this.#kept = kept;
    return reply;
  }

  /** Writes a reply that was kept to the body. */
  #write(reply: Buffer): void {
    this.#kept -= reply.length;
    const uncounted = Math.min(Math.max(0, this.#counted - this.#kept), reply.length);
    if (uncounted > 0) {
      this.#counted -= uncounted;
      this.exchange.release(uncounted, this.#body);
    }
    this.#body?.write(reply);
  }

  #settled(): void {
    if (this.#began) this.#flush();
    if (--this.#open > 0) return;
    if (this.places.length > 0) this.exchange.record.replied();
    this.exchange.commandsSettled();
    this.onSettled();
    if (this.#began) this.#body?.end();
    else if (!this.exchange.gone) this.exchange.guard(() => this.#respond());
  }

  #begin(): void {
    this.#began = true;
    this.#body = startBody(this.exchange, 200, "list", this.#replies.length);
    this.#flush();
  }

  /** Writes the replies that are next in order and have arrived to the body. */
  #flush(): void {
    const replies = this.#replies;
    for (let reply = replies[this.#next]; reply && !this.#inside; reply = replies[this.#next]) {
      replies[this.#next++] = null;
      this.#write(reply);
    }
  }

  #respond(): void {
    const { exchange } = this;
    const replies = this.#replies as Buffer[];
    if (exchange.format === "resp2") {
      exchange.reply(200, RESP_TYPE, Buffer.concat([Buffer.from(`*${replies.length}\r\n`), ...replies]));
    } else exchange.reply(200, JSON_TYPE, jsonOf(replies, exchange.format === "base64", "list"));
  }
}

/** The response to a transaction: one error when it was discarded, else each command's result. */
export class TransactionResponse implements TransactionReceiver {
  /**
   * @param names the names of the commands
   * @param onSettled called when the transaction has its reply or failed
   */
  constructor(
    readonly exchange: Exchange,
    readonly names: readonly string[],
    readonly onSettled: () => void,
  ) {
    exchange.sent();
  }

  get cancelled(): boolean {
    return this.exchange.abandoned;
  }

  onExec(reply: Buffer, refused: ReadonlyMap<number, Buffer>): void {
    const { exchange } = this;
    this.#settled();
    exchange.record.replied();
    if (exchange.gone) return;
    exchange.guard(() => {
      if (reply[0] !== STAR || reply[1] === MINUS) {
        const text = this.#discarded(reply, refused);
        if (exchange.format === "resp2") exchange.respond(400, RESP_TYPE, Buffer.from(`-${text}\r\n`));
        else exchange.error(400, text);
      } else respond(exchange, 200, "elements", reply);
    });
  }

  onFailure(failure: UpstreamFailure): void {
    this.#settled();
    this.exchange.failure(failure);
  }

  #settled(): void {
    this.exchange.commandsSettled();
    this.onSettled();
  }

  #discarded(reply: Buffer, refused: ReadonlyMap<number, Buffer>): string {
    const [first] = refused;
    if (!first) return isError(reply) ? lineOf(reply) : "EXECABORT Transaction discarded.";
    const [index, error] = first;
    return discarded(index, this.names.length, this.names[index]!, lineOf(error));
  }
}

/** Returns the error text of a transaction that was discarded for one of its commands. */
export function discarded(index: number, of: number, name: string, text: string): string {
  const which = `command ${index + 1} of ${of}, '${name.toLowerCase()}'`;
  return `EXECABORT Transaction discarded because of previous errors. ${which}: ${text}`;
}
