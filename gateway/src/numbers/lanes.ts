import { randomBytes } from "node:crypto";
import { BudgetPart, type BufferBudget } from "../util/buffer-budget.js";
import { type Copy, NumberedRequest } from "./numbered-request.js";
import type { Presence } from "./presence.js";

/** Time in s after its last request for which a lane is kept. No client uses a connection again that was idle for over 345 s. */
const LANE_KEPT = 900;
/** Time in s after its request for which a response is kept: longer than a call takes. */
const RESPONSE_KEPT = 120;
/** Interval in ms between searches for lanes and responses that are too old. */
const SWEEP = 30_000;
/** The share of the memory for buffers that lanes and responses may use, and the part of it that those of one token may use. */
const SHARE = 1 / 8;
const TOKEN_PART = 1 / 2;
/** Memory of a lane without its response, in bytes. */
const LANE_SIZE = 512;
/** Difference in s between the clocks above which this process counts as a copy of a machine that was stored. */
const CLOCKS_PART = 5;

/** Whether other processes may run the same client's requests on the same data. */
export type Standing = Pick<Presence, "aloneSince" | "check" | "use">;

/** Both clocks, in s. */
export type LaneClock = typeof systemClock;

const systemClock = {
  monotonic: () => performance.now() / 1_000,
  wall: () => Date.now() / 1_000,
};

/** A slot of a client, which has one numbered request in flight at most. */
interface Lane {
  last: NumberedRequest;
  usedAt: number;
}

interface Owner {
  /** In the order of their use. */
  readonly lanes: Map<string, Lane>;
  /** The latest use of a lane that was forgotten. */
  horizon: number;
  readonly budget: BudgetPart;
}

/**
 * Runs a numbered request at most once. The number is `<instance>.<time>.<client>.<lane>.<sequence>.<nonce>`: the first two are
 * those of {@link Lanes.offer}, and a lane's sequence grows with each of its requests.
 */
export class Lanes {
  readonly #budget: BudgetPart;
  readonly #owners = new Map<string, Owner>();
  /** The latest horizon of the tokens that have no lanes any more. */
  #horizon = -1;
  /** 72 random bits. */
  #instance = "";
  #renewedAt = 0;
  /** How far the wall clock is ahead. */
  #ahead = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(
    budget: BufferBudget,
    private readonly standing: Standing,
    private readonly clock = systemClock,
  ) {
    this.#budget = new BudgetPart(budget, SHARE);
    this.renew();
    this.#timer = setInterval(() => this.sweep(), SWEEP).unref();
  }

  /**
   * Returns headers for responses, as alternating names and values. They have what clients begin their numbers with: this process and
   * a time of its clock. Empty while it does not offer numbers.
   */
  offer(): readonly string[] {
    const now = this.#now();
    if (!this.standing.use()) return [];
    return ["Warmline-Instance", `${this.#instance}.${Math.floor(now).toString(36)}`];
  }

  /**
   * Returns the request to run. Returns null if it is not to be run: then the copy gets a refusal, or the response to an
   * earlier copy once that is there.
   * @param owner identifies the sender's token
   * @param digest of everything that decides what the request does
   * @param proxied whether a proxy says that it has passed the request on
   */
  enter(number: string, owner: string, digest: number, copy: Copy, proxied: boolean): NumberedRequest | null {
    const now = this.#now();
    const [instance, time = "", client, slot, sequenceText, nonce = ""] = number.split(".");
    if (instance !== this.#instance) {
      const { aloneSince } = this.standing;
      const alone = aloneSince === null ? null : now - Math.max(aloneSince, this.#renewedAt);
      copy.refuseNumber("is for another process of the gateway", proxied ? "unknown" : "unsent", alone);
      return null;
    }
    const sequence = Number(sequenceText);
    const key = `${client}.${slot}`;
    const create = ({ budget }: Owner) => new NumberedRequest(sequence, nonce, digest, copy, budget);
    const known = this.#owners.get(owner);
    const lane = known?.lanes.get(key);
    if (!lane) {
      // Nobody has used this lane since the client learned of that time, or it was forgotten since.
      const isNew = Number.parseInt(time, 36) > (known?.horizon ?? this.#horizon);
      if (isNew && sequence >= 0) return this.#open(owner, key, now, copy, create);
      copy.refuseNumber("has expired", proxied ? "unknown" : "unsent");
      return null;
    }
    lane.usedAt = now;
    known!.lanes.delete(key);
    known!.lanes.set(key, lane);
    const { last } = lane;
    if (sequence > last.sequence) {
      last.forget();
      lane.last = create(known!);
      return lane.last;
    }
    if (sequence !== last.sequence) copy.refuseNumber("is older than the last one of its lane", "unknown");
    else if (nonce !== last.nonce) copy.refuseNumber("is that of another client", "unsent");
    else if (digest !== last.digest) copy.refuseNumber("was that of another request", "unknown");
    else last.join(copy);
    return null;
  }

  /** Ends all numbers given so far, as if this process had ended: another gateway may have taken it for ended. */
  renew(): void {
    for (const [name, owner] of this.#owners) {
      for (const key of owner.lanes.keys()) this.#forget(name, owner, key);
    }
    this.#instance = randomBytes(9).toString("hex");
    this.#renewedAt = this.clock.monotonic();
    this.#ahead = this.clock.wall() - this.#renewedAt;
  }

  /** Forgets lanes and responses that are too old. */
  sweep(): void {
    const now = this.clock.monotonic();
    for (const [name, owner] of this.#owners) {
      for (const [key, { last, usedAt }] of owner.lanes) {
        if (last.isRunning) continue;
        if (now - usedAt > LANE_KEPT) this.#forget(name, owner, key);
        else if (now - usedAt > RESPONSE_KEPT) last.forget();
      }
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #now(): number {
    this.standing.check();
    const now = this.clock.monotonic();
    if (Math.abs(this.clock.wall() - now - this.#ahead) > CLOCKS_PART) this.renew();
    return now;
  }

  #open(
    name: string,
    key: string,
    now: number,
    copy: Copy,
    create: (owner: Owner) => NumberedRequest,
  ): NumberedRequest | null {
    const owner = this.#owners.get(name) ?? {
      lanes: new Map<string, Lane>(),
      horizon: this.#horizon,
      budget: new BudgetPart(this.#budget, TOKEN_PART),
    };
    while (!owner.budget.take(LANE_SIZE)) {
      const oldest = oldestOf(owner);
      if (oldest === null) {
        copy.unsent();
        return null;
      }
      this.#forget(name, owner, oldest);
    }
    this.#owners.set(name, owner);
    const last = create(owner);
    owner.lanes.set(key, { last, usedAt: now });
    return last;
  }

  #forget(name: string, owner: Owner, key: string): void {
    const { last, usedAt } = owner.lanes.get(key)!;
    last.forget();
    owner.budget.give(LANE_SIZE);
    owner.lanes.delete(key);
    owner.horizon = Math.max(owner.horizon, usedAt);
    if (owner.lanes.size > 0) return;
    this.#owners.delete(name);
    this.#horizon = Math.max(this.#horizon, owner.horizon);
  }
}

/** Returns the key of the lane that was not used for longest, without one that has a request in flight; null without any. */
function oldestOf({ lanes }: Owner): string | null {
  for (const [key, { last }] of lanes) if (!last.isRunning) return key;
  return null;
}
