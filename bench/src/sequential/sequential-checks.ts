import { atLeast, claimOf, decideClaim } from "../results/checks.js";
import { factor, ms, withInterval } from "../results/format.js";
import type { Check, Claim } from "../results/result.js";
import type { Estimate } from "../statistics/estimate.js";
import { combine, difference, mean, ratio, type Series } from "../statistics/series.js";

/** Times without keep-alive and with it, for one write and for ten. */
export interface WriteTimes {
  readonly one: readonly [off: Series, on: Series];
  readonly ten: readonly [off: Series, on: Series];
}

/** The times of one client. */
export interface ClientTimes {
  readonly name: string;
  readonly label: string;
  /** Writes after a freeze and back to back; undefined if keep-alive cannot be off. */
  readonly saved: (WriteTimes & { readonly backToBack: WriteTimes }) | undefined;
  /** Ten writes back to back with keep-alive, and ten reads as one pipeline. */
  readonly ten: Series;
  readonly pipeline: Series;
}

/** Returns how much more time keep-alive saves on ten writes than on one. */
const savedMore = ({ one, ten }: WriteTimes): Estimate =>
  combine([...ten, ...one], (off10, on10, off1, on1) => off10 - on10 - (off1 - on1), mean);

/**
 * Checks the article's claims by the bare agent: its SDK sends each write through Node's own agent. The article's calls are sent by
 * a person, so times after a freeze decide.
 */
export function sequentialChecks(clients: readonly ClientTimes[]): Check[] {
  const compared = clients.flatMap(({ saved, ...client }) => (saved ? [{ ...client, ...saved }] : []));
  const decide = (claim: Claim, check: (client: (typeof compared)[number]) => Check) =>
    decideClaim(claim, compared, (client) => client.name === "agent", check);
  return [
    ...decide(claimOf("lambda", "one"), ({ label, one, backToBack }) =>
      atLeast(`${label}: keep-alive makes one write faster, on average`, ratio(...one, mean), 1, {
        detail: `${ms(one[1].estimate(mean).value)} with it`,
        beside: `back to back ${withInterval(ratio(...backToBack.one, mean), factor)}`,
      }),
    ),
    ...decide(claimOf("lambda", "ten"), ({ label, one, ten, backToBack, pipeline }) =>
      atLeast(
        `${label}: keep-alive saves more on ten writes than on one, on average`,
        savedMore({ one, ten }),
        0,
        {
          detail: `${ms(difference(...ten, mean).value)} against ${ms(difference(...one, mean).value)}`,
          beside: `back to back ${withInterval(savedMore(backToBack), ms)}; as one pipeline ${withInterval(ratio(backToBack.ten[1], pipeline), factor)} as fast as one after another`,
          text: ms,
        },
      ),
    ),
    ...clients.map(({ label, ten, pipeline }) =>
      atLeast(`${label}: a pipeline of ten is faster than ten one after another`, ratio(ten, pipeline), 1),
    ),
  ];
}
