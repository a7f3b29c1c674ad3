import { BufferBudget } from "../../util/buffer-budget.js";
import { Fifo } from "../../util/fifo.js";
import { SlicedWork } from "../../util/sliced-work.js";
import type { Frame, PendingFrame } from "../frame.js";
import type { Listener } from "./listener.js";

/** Maximum number of bytes of messages that wait, and the part of it that one channel or pattern may use. */
const MAX_WAITING = 8 * 1_024 * 1_024;
const TOPIC_PART = 1 / 2;
/** The share of the memory for buffers that waiting messages may use. */
const SHARE = 1 / 2;
/** More bytes of one message do not count: a large message is not a flood, and its encoder counts its memory. */
const MAX_COUNTED = 256 * 1_024;
/** Messages that follow each other are written together, up to this many bytes. */
const MAX_TOGETHER = 32 * 1_024;
/** Memory of a message that waits, in addition to its own bytes. */
const MESSAGE_SIZE = 200;

/** A listener that gets messages. */
export interface Recipient {
  readonly listener: Listener;
  /** Whether it gets nothing any more. */
  readonly isGone: boolean;
}

/** A channel or pattern, and the bytes of its messages that wait. */
export interface QueuedTopic {
  waitingBytes: number;
  /** The recipients of a gap that waits for its turn, or null without one. */
  gapFor: readonly Recipient[] | null;
}

/** Messages, or another event, for all of an audience. */
interface Delivery {
  readonly audience: readonly Recipient[];
  readonly topic: QueuedTopic | null;
  /** Messages. Empty for another event, which `tell` passes on. */
  readonly frames: PendingFrame[];
  readonly tell: ((listener: Listener) => void) | null;
  bytes: number;
}

export interface DeliveryOptions {
  /**
   * Encodes a message for listeners: `message`, channel, payload or `pmessage`, pattern, channel, payload. Returns a
   * promise if that takes long.
   */
  readonly encode: (push: readonly Buffer[]) => PendingFrame;
  /** The work that is done in turns, a few milliseconds each. Default: one of its own. */
  readonly work?: SlicedWork | undefined;
  /** What messages are counted against while they wait. Default: no limit. */
  readonly waiting?: BufferBudget | undefined;
}

/**
 * Tells listeners what Redis has sent, in its order, in turns with all other work. If deliveries are behind, consecutive messages
 * are written together. Messages for which there is no room are lost: their listeners get a gap in their place. One channel
 * or pattern may use half of the room, so that a flood on it does not lose the messages of the others.
 */
export class DeliveryQueue {
  readonly #work: SlicedWork;
  readonly #budget: BufferBudget;
  readonly #due = new Fifo<Delivery>();
  /** The delivery that was added last, if it waits. */
  #last: Delivery | null = null;
  #bytes = 0;
  #isRunning = false;

  constructor(private readonly options: DeliveryOptions) {
    this.#work = options.work ?? new SlicedWork();
    this.#budget = options.waiting ?? new BufferBudget();
  }

  /** Adds a message of `size` bytes. If there is no room for it, its audience gets a gap in its place. */
  message(topic: QueuedTopic, audience: readonly Recipient[], push: readonly Buffer[], size: number): void {
    const bytes = Math.min(size, MAX_COUNTED) + MESSAGE_SIZE;
    const hasRoom =
      this.#bytes + bytes <= MAX_WAITING && topic.waitingBytes + bytes <= MAX_WAITING * TOPIC_PART;
    if (!hasRoom || !this.#budget.take(bytes, SHARE)) {
      this.#gap(topic, audience);
      return;
    }
    this.#bytes += bytes;
    topic.waitingBytes += bytes;
    const frame = this.options.encode(push);
    const last = this.#last;
    const isNext = last?.audience === audience && last.topic === topic && last.tell === null;
    if (isNext && last.bytes + size <= MAX_TOGETHER) {
      last.frames.push(frame);
      last.bytes += bytes;
    } else this.#add(audience, topic, null, frame, bytes);
  }

  /** Passes another event on to one listener, after the messages that wait for it. */
  tell(recipient: Recipient, tell: (listener: Listener) => void): void {
    if (this.#isRunning) this.#add([recipient], null, tell);
    else tell(recipient.listener);
  }

  #gap(topic: QueuedTopic, audience: readonly Recipient[]): void {
    if (topic.gapFor === audience) return;
    topic.gapFor = audience;
    this.#add(audience, topic, (listener) => {
      if (topic.gapFor === audience) topic.gapFor = null;
      listener.onGap();
    });
  }

  #add(
    audience: readonly Recipient[],
    topic: QueuedTopic | null,
    tell: Delivery["tell"],
    frame?: PendingFrame,
    bytes = 0,
  ): void {
    const delivery = { audience, topic, tell, bytes, frames: frame === undefined ? [] : [frame] };
    this.#due.push(delivery);
    this.#last = delivery;
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#work.run(this.#deliver());
  }

  *#deliver(): Generator<undefined, void> {
    for (const due of this.#due.drain()) {
      if (due === this.#last) this.#last = null;
      const { audience, topic, tell, bytes } = due;
      this.#bytes -= bytes;
      this.#budget.give(bytes);
      if (topic) topic.waitingBytes -= bytes;
      const frames = together(due.frames);
      for (const { listener, isGone } of audience) {
        if (isGone) continue;
        if (tell) tell(listener);
        else for (const frame of frames) listener.onMessage(frame);
        yield;
      }
    }
    this.#isRunning = false;
  }
}

/** Joins frames into one. If one of them is not encoded yet, or could not be, all are returned as they are. */
function together(frames: readonly PendingFrame[]): readonly PendingFrame[] {
  if (frames.length <= 1 || !frames.every((frame): frame is Frame => Array.isArray(frame))) return frames;
  return [[Buffer.concat(frames.flat())]];
}
