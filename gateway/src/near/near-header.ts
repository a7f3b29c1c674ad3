import type { ChangeTracker } from "./change-tracker.js";
import type { TrackingSession } from "./tracking-session.js";

/** The request and response header of near caches. */
export const NEAR_HEADER = "Warmline-Near";
/** The response to a near cache while changes are not tracked. */
const OFF = "off";
/** The changes of a report without any. */
const NONE = "-";
/** Maximum number of epochs of a request that are read. */
const MAX_EPOCHS = 64;

export interface NearRequest {
  /** Whether the report must contain every change that was acknowledged before the request. */
  readonly verify: boolean;
  /** The number of the last change in the sender's last report, by epoch. */
  readonly known: ReadonlyMap<string, number>;
}

/** Reads a request's header: `verify` and `epoch:sequence`, with commas between. Members of another form count as absent. */
export function parseNearRequest(text: string): NearRequest {
  const members = text.split(",", MAX_EPOCHS).map((member) => member.trim());
  const known = new Map<string, number>();
  for (const member of members) {
    const [, epoch, sequence] = /^([\da-z]{1,16}):(\d{1,15})$/.exec(member) ?? [];
    if (epoch) known.set(epoch, Number(sequence));
  }
  return { verify: members.includes("verify"), known };
}

/** Reports to the near caches of clients what has changed since their last report. */
export class NearReports {
  constructor(
    private readonly tracker: ChangeTracker,
    private readonly prefixes: readonly string[],
  ) {}

  /**
   * Calls `run` with the value of the response's header. The request's commands are sent to Redis after that, so they see
   * every change in the report.
   * @param prefix the prefix of all keys that the sender may use
   */
  report(request: NearRequest, prefix: string | undefined, run: (value: string) => void): void {
    const session = this.tracker.use();
    if (!session) run(OFF);
    else if (!request.verify) run(this.#describe(session, session.age(), request, prefix));
    else {
      void session.confirm().then((confirmed) => {
        run(confirmed && session.isReady ? this.#describe(session, 0, request, prefix) : OFF);
      });
    }
  }

  /**
   * Returns `epoch:sequence age changes`, with the age of the report in ms. If the request does not have the epoch, `new` and
   * the tracked prefixes take the place of the changes. Without changes there is {@link NONE}.
   */
  #describe(session: TrackingSession, age: number, { known }: NearRequest, prefix = ""): string {
    const table = session.tableOf(prefix);
    const since = known.get(table.epoch);
    const changes =
      since === undefined ? `new ${this.#prefixesWithin(prefix)}` : table.changesSince(since) || NONE;
    return `${table.epoch}:${table.sequence} ${age} ${changes}`;
  }

  /** The prefixes that concern keys with this prefix. */
  #prefixesWithin(prefix: string): string {
    return this.prefixes
      .filter((each) => each.startsWith(prefix) || prefix.startsWith(each))
      .map(encodeURIComponent)
      .join(",");
  }
}
