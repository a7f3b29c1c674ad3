import type { NearRequest } from "../protocol/near-requests.js";
import { between, type Moment, moment } from "../util/clock.js";
import { microtask } from "../util/timers.js";

/** Maximum number of epochs that are sent with a request. Each gateway has one. */
const MAX_EPOCHS = 16;
/** Number of requests without a report after which an epoch is forgotten: its gateway ended, or stopped tracking changes. */
const MAX_SILENCE = 64;
/** Any key may have changed. */
const ALL = "*";

/** The text of a report without changes. */
const NONE = "-";

/** The state of one epoch, from its reports. */
interface Epoch {
  readonly name: string;
  /** The number of the last change that was reported. */
  sequence: number;
  /** `sequence` of the first report. Earlier changes were not reported. */
  readonly first: number;
  /** The time of the cache at which the epoch was first reported. */
  readonly since: number;
  /** The prefixes of the keys whose changes are reported. */
  readonly prefixes: readonly string[];
  /** Every change that was acknowledged `age` ms before `at`, or earlier, has been reported. */
  at: Moment;
  age: number;
  /** The number of the request whose report set `at` and `age`. */
  request: number;
  /** The number of the last request with a report of this epoch. */
  reportedAt: number;
}

/** The report of one response. */
export interface Report {
  readonly epoch: string;
  /** The number of the last change that the reads of this response have seen. */
  readonly sequence: number;
}

/** Buckets that have changed, or all of them. */
export type Changes = ReadonlySet<number> | typeof ALL;

/** The facts about a reply that decide whether it is still right. */
export interface Provenance {
  readonly keys: readonly string[];
  /** When its request was sent, and the time of the cache then. */
  readonly sentAt: Moment;
  readonly time: number;
  /** The report of its response, if there was one. */
  readonly report: Report | undefined;
}

/** The start of a read. */
export interface ReadStart {
  readonly at: Moment;
  /** The number of the last request before it. */
  readonly request: number;
}

/** The reports of the gateway about the keys of a near cache. */
export class Reports {
  readonly #epochs = new Map<string, Epoch>();
  /** The header of requests, until a report changes it. */
  #header: string | undefined;
  #requests = 0;
  /** Number of reports and of this client's writes so far: a clock that tells whether a read began before one of them. */
  time = 0;
  /** The report of the response that is being read, if there is one. */
  current: Report | undefined;

  /** @param onChanges called with the buckets of each report, before the replies of its response are read */
  constructor(private readonly onChanges: (changes: Changes, report: Report | undefined) => void) {}

  start(): ReadStart {
    return { at: moment(), request: this.#requests };
  }

  /** @param verifies whether the report must contain every change acknowledged by now */
  onRequest(verifies: boolean): NearRequest {
    this.#header ??=
      Array.from(this.#epochs.values(), ({ name, sequence }) => `${name}:${sequence}`).join() || "none";
    const request = ++this.#requests;
    const at = moment();
    return {
      header: verifies ? `verify,${this.#header}` : this.#header,
      onResponse: (text) => {
        this.current = this.#read(text ?? "", at, request);
        this.#trim(request);
        // The replies of the response are read in this tick.
        microtask(() => {
          this.current = undefined;
        });
      },
    };
  }

  /** Whether a report may show that a reply is still right. */
  covers(reply: Provenance): boolean {
    return this.#covering(reply).length > 0;
  }

  /** Returns for how many ms before the start of a read the reply may have been wrong; 0 or less if it was right at the start. */
  staleness(reply: Provenance, { at }: ReadStart): number {
    const ages = this.#covering(reply).map((epoch) => epoch.age + between(epoch.at, at));
    return Math.min(between(reply.sentAt, at), ...ages);
  }

  /** Whether a request after the start of a read has shown that the reply was right at the start. */
  isVerified(reply: Provenance, start: ReadStart): boolean {
    return this.#covering(reply).some(
      ({ request, age, at }) => request > start.request && age + between(at, start.at) <= 0,
    );
  }

  /** Returns the epochs whose reports contain all changes of a reply's keys since it was read. */
  #covering(reply: Provenance): Epoch[] {
    return [...this.#epochs.values()].filter((epoch) => isCovered(reply, epoch));
  }

  /** Reads a report, `epoch:sequence age changes`. docs/gateway.md describes it. */
  #read(text: string, at: Moment, request: number): Report | undefined {
    const [, name, sequenceText, ageText, changes, prefixes = ""] =
      /^(\w+):(\d+) (\d+) ([^ ]*)(?: (.*))?$/.exec(text) ?? [];
    if (!name) return undefined;
    const sequence = Number(sequenceText);
    const age = Number(ageText);
    const report = { epoch: name, sequence };
    let epoch = this.#epochs.get(name);
    this.time++;
    if (changes !== "new") {
      this.onChanges(changes === ALL ? ALL : parseBuckets(changes!), report);
      if (epoch) epoch.sequence = Math.max(epoch.sequence, sequence);
    } else if (!epoch) {
      epoch = {
        name,
        sequence,
        first: sequence,
        since: this.time,
        prefixes: parsePrefixes(prefixes),
        at,
        age,
        request,
        reportedAt: request,
      };
    }
    if (!epoch) return undefined;
    epoch.reportedAt = request;
    // The epochs are in the order of their last reports.
    this.#epochs.delete(name);
    this.#epochs.set(name, epoch);
    this.#header = undefined;
    // If reports are missing between this one and the last, not every earlier change was reported.
    if (epoch.sequence >= sequence && age + between(at, epoch.at) <= epoch.age) {
      epoch.at = at;
      epoch.age = age;
      epoch.request = request;
    }
    return report;
  }

  /** Forgets the least recently reported epoch if there are too many, or if it is no longer reported. */
  #trim(request: number): void {
    const [oldest] = this.#epochs.values();
    if (!oldest || (this.#epochs.size <= MAX_EPOCHS && request - oldest.reportedAt <= MAX_SILENCE)) return;
    this.#epochs.delete(oldest.name);
    this.#header = undefined;
  }
}

/**
 * Whether the reports of an epoch contain all changes of a reply's keys since it was read: the response of the reply had a report
 * of this epoch, or its first report arrived before the request was sent.
 */
function isCovered({ keys, time, report }: Provenance, { name, first, since, prefixes }: Epoch): boolean {
  const isKnown = report?.epoch === name ? report.sequence >= first : since <= time;
  return isKnown && keys.every((key) => prefixes.some((prefix) => key.startsWith(prefix)));
}

/** Returns the prefixes in a report. Empty if they are malformed, so that no reply counts as covered. */
function parsePrefixes(text: string): readonly string[] {
  try {
    return text.split(",").filter(Boolean).map(decodeURIComponent);
  } catch {
    return [];
  }
}

function parseBuckets(text: string): Set<number> {
  return new Set(text === NONE ? [] : text.split(",").map((bucket) => Number.parseInt(bucket, 36)));
}
