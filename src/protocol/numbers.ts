import { between, type Moment, moment } from "../util/clock.js";
import { randomId } from "../util/random-id.js";
import type { HttpRequest, HttpResponse } from "./http.js";

/** Time in ms for which a ticket is used: the gateway remembers lanes for 900 s. */
const TICKET_VALID = 800_000;

/** Time in ms for which requests have no numbers after a server in front of the gateway has refused the path of one. */
const PATH_REFUSED = 60_000;

/** Change in ms of the difference between the clocks, above which the process counts as restored from a snapshot. */
const CLOCKS_PART = 1_000;

/** Maximum length of the body of a numbered request, in characters or bytes. */
export const MAX_NUMBERED = 64 * 1024;

/** Numbers one request at a time. */
interface Lane {
  readonly client: string;
  readonly id: string;
  sequence: number;
  /** Random numbers of 32 bits. */
  readonly random: Uint32Array;
}

/** The number of a request, by which a process of the gateway applies it once, however often it arrives. */
export interface RequestNumber {
  readonly lane: Lane;
  readonly text: string;
  /** A moment before the first write of the request. */
  readonly since: Moment;
}

/** Numbers requests for the gateway process that sent the last response: see docs/gateway.md. */
export class Numbers {
  /** The process and a time of its clock, as in its last response. */
  #ticket: string | undefined;
  #seenAt: Moment | undefined;
  #client = "";
  /** Time in ms by which the wall clock is ahead of the monotonic one. */
  #ahead = 0;
  #lanes = 0;
  readonly #free: Lane[] = [];
  /** When a server in front of the gateway last refused the path of a numbered request. */
  #pathRefusedAt: Moment | undefined;

  /** @param path the path of the endpoint. */
  constructor(
    private readonly path: string,
    private readonly now: () => Moment = moment,
  ) {}

  /** @param ticket the ticket in a response, or undefined if the endpoint offers no numbers. */
  onTicket(ticket: string | undefined): void {
    if (ticket === this.#ticket) return;
    this.#ticket = ticket;
    this.#seenAt = this.now();
  }

  /**
   * Returns the number of a request that is about to be written for the first time, if numbers are offered.
   * @param since when its call began.
   */
  take(since: Moment): RequestNumber | undefined {
    if (!this.#ticket || between(this.#seenAt!, since) > TICKET_VALID) return undefined;
    if (this.#pathRefusedAt && between(this.#pathRefusedAt, since) < PATH_REFUSED) return undefined;
    const ahead = since.wall - since.monotonic;
    if (Math.abs(ahead - this.#ahead) > CLOCKS_PART) this.renew();
    this.#ahead = ahead;
    this.#client ||= randomId();
    const lane = this.#free.pop() ?? {
      client: this.#client,
      id: `${this.#client}.${this.#lanes++}`,
      sequence: 0,
      random: crypto.getRandomValues(new Uint32Array(2)),
    };
    // Processes restored from one snapshot share random numbers, so these are mixed with both clocks. V8 writes decimal digits
    // in a third of the time of others.
    const high = (lane.random[0]! ^ since.wall) >>> 0;
    const low = (lane.random[1]! ^ (since.monotonic * 1e6)) >>> 0;
    return { lane, since, text: `${this.#ticket}.${lane.id}.${++lane.sequence}.${high}${low}` };
  }

  /** Adds a number to a request. */
  apply({ path, headers, body }: HttpRequest, { text }: RequestNumber): HttpRequest {
    return { path: `${this.path}/n/${text}${path.slice(this.path.length)}`, headers, body };
  }

  /** Called when the request is settled, or is not going to be written with this number again. */
  release({ lane }: RequestNumber): void {
    if (lane.client === this.#client) this.#free.push(lane);
  }

  /** Begins with new lanes, because another process may use the same ones. */
  renew(): void {
    this.#client = "";
    this.#free.length = 0;
  }

  /**
   * Whether a response refuses a request for its number. A server in front of the gateway may refuse the path: then requests have
   * no numbers for a time.
   */
  refused(response: HttpResponse): boolean {
    const { status } = response;
    if (status === 412) return true;
    const isPath = status === 403 || status === 404 || status === 405;
    if (!isPath || response.header("warmline-gateway") !== undefined) return false;
    this.#pathRefusedAt = this.now();
    return true;
  }

  /** Whether a refusal shows that no copy was applied: the gateway's process has been the only one since before the number. */
  isUnapplied(response: HttpResponse, { since }: RequestNumber): boolean {
    return Number(response.header("warmline-alone")) > between(since, this.now());
  }
}
