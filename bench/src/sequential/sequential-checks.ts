import { atLeast, claimOf } from "../checks.js";
import { decideClaim } from "../decide-claim.js";
import { factor, ms, withInterval } from "../format.js";
import type { Check, Claim } from "../result.js";
import { combine, difference, mean, ratio, type Series } from "../series.js";

/** The times of one client without keep-alive and with it, for one write and for ten; and of ten reads as one pipeline. */
export interface WriteTimes {
  readonly name: string;
  readonly label: string;
  readonly one: readonly [off: Series, on: Series];
  readonly ten: readonly [off: Series, on: Series];
  readonly pipeline: Series;
}

/** Checks the article's claims by the bare agent: its SDK sends each write through Node's own agent. */
export function sequentialChecks(clients: readonly WriteTimes[]): Check[] {
  const decide = (claim: Claim, check: (client: WriteTimes) => Check) =>
    decideClaim(claim, clients, (client) => client.name === "agent", check);
  return [
    ...decide(claimOf("lambda", "one"), ({ label, one }) =>
      atLeast(`${label}: keep-alive makes one write faster, on average`, ratio(...one, mean), 1),
    ),
    ...decide(claimOf("lambda", "ten"), ({ label, one, ten, pipeline }) =>
      atLeast(
        `${label}: keep-alive saves more on ten writes than on one, on average`,
        combine([...ten, ...one], (off10, on10, off1, on1) => off10 - on10 - (off1 - on1), mean),
        0,
        {
          detail: `${ms(difference(...ten, mean).value)} against ${ms(difference(...one, mean).value)}`,
          beside: `as one pipeline ${withInterval(ratio(ten[1], pipeline), factor)} as fast as one after another`,
          text: ms,
        },
      ),
    ),
    ...clients.map(({ label, ten, pipeline }) =>
      atLeast(`${label}: a pipeline of ten is faster than ten one after another`, ratio(ten[1], pipeline), 1),
    ),
  ];
}
