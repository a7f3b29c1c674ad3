import { atLeast, atMost, claimOf, decideClaim, exactly } from "../results/checks.js";
import { factor, ms, preciseFactor, withInterval } from "../results/format.js";
import type { Check, Claim } from "../results/result.js";
import { mean, ratio, type Series } from "../statistics/series.js";
import { SAME_SPEED } from "./sentences.js";

/** The numbers of one variant, over the instances. */
interface Arm {
  readonly keepAlive: boolean;
  readonly first: Series;
  readonly warm: Series;
  readonly opened: Series;
  readonly recreatedRatio?: Series;
  readonly lost?: Series;
}

/** The variants of one client. */
export interface Variants {
  readonly name: string;
  readonly label: string;
  readonly on: Arm;
  readonly recreated: Arm;
  readonly off: Arm;
  readonly all: readonly Arm[];
}

/** Checks the article's claims by the bare agent, which the article uses, and what this project promises. */
export function keepaliveChecks(clients: readonly Variants[], instances: number, calls: number): Check[] {
  const openedOf = ({ opened }: Arm) => `${opened.total} connections in ${instances} processes`;
  const perCall = ({ opened }: Arm) => opened.total === calls;
  const decide = (claim: Claim, check: (client: Variants) => Check) =>
    decideClaim(claim, clients, (client) => client.name === "agent", check);
  return [
    ...decide(claimOf("keepalive", "first"), ({ label, on }) =>
      atLeast(
        `${label}: the first call of a process takes longer than a later one`,
        ratio(on.first, on.warm),
        1,
        {
          detail: `${ms(on.first.estimate().value)}, later ${ms(on.warm.estimate().value)}`,
        },
      ),
    ),
    ...decide(claimOf("keepalive", "reuse"), ({ label, on, off }) =>
      atLeast(`${label}: a kept connection is faster than a new one`, ratio(off.warm, on.warm), 1, {
        beside: `on average ${withInterval(ratio(off.warm, on.warm, mean), factor)}`,
      }),
    ),
    ...decide(claimOf("keepalive", "recreated"), ({ label, recreated }) =>
      exactly(`${label}: a recreated client loses the connection`, perCall(recreated), openedOf(recreated)),
    ),
    ...clients.map(({ label, all, off }) =>
      exactly(
        `${label} with keep-alive off opens a connection for each call`,
        all.every((arm) => arm.keepAlive || perCall(arm)),
        `${off.opened.total} of ${calls}`,
      ),
    ),
    ...clients
      .filter(({ name }) => name === "warmline")
      .flatMap(({ on, recreated }) => [
        exactly(
          "warmline recreated opens one connection per process",
          recreated.opened.max === 1,
          openedOf(recreated),
        ),
        ...(on.recreatedRatio
          ? [
              atMost(
                "warmline recreated is at most 5% slower than reused",
                on.recreatedRatio.estimate(),
                SAME_SPEED,
                {
                  text: preciseFactor,
                },
              ),
            ]
          : []),
        ...(on.lost
          ? [
              exactly(
                "warmline loses no command after a freeze in which the network dropped the connection",
                on.lost.total === 0,
                `${on.lost.total} of ${instances}`,
              ),
            ]
          : []),
      ]),
  ];
}
