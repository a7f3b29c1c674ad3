import { atLeast, claimOf, decideClaim } from "../results/checks.js";
import { ms } from "../results/format.js";
import type { Check } from "../results/result.js";
import { combine, difference, mean, ratio, type Series } from "../statistics/series.js";

/** The numbers of one client on a function of one size. */
export interface SizeRow {
  readonly client: { readonly name: string; readonly label: string };
  readonly memoryMb: number;
  /** Init phase and first invocation. */
  readonly start: Series;
  /** Warm invocations over a kept connection, and with a connection each. */
  readonly warm: Series;
  readonly own: Series;
}

/** Checks the article's claim by ioredis, which the article uses, and that small functions start later. */
export function memoryChecks(rows: readonly SizeRow[], small: number, large: number): Check[] {
  if (small === large) return [];
  const clients = rows
    .filter(({ memoryMb }) => memoryMb === small)
    .map((at) => {
      const whole = rows.find(({ client, memoryMb }) => client === at.client && memoryMb === large)!;
      return { label: at.client.label, at, whole };
    });
  // The mean, since under a quota some invocations wait for others.
  const extra = ({ own, warm }: SizeRow) => ms(difference(own, warm, mean).value);
  return [
    ...decideClaim(
      claimOf("serverless", "smallFunction"),
      clients,
      ({ at }) => at.client.name === "ioredis",
      ({ label, at, whole }) =>
        atLeast(
          `${label}: connecting takes longer at ${small} MB than at ${large} MB`,
          combine([at.own, at.warm, whole.own, whole.warm], (a, b, c, d) => a - b - (c - d), mean),
          0,
          { detail: `${extra(at)} and ${extra(whole)} on average`, text: ms },
        ),
    ),
    ...clients.map(({ label, at, whole }) =>
      atLeast(
        `${label}: starting takes longer at ${small} MB than at ${large} MB`,
        ratio(at.start, whole.start),
        1,
      ),
    ),
  ];
}
