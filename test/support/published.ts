import { type NearCase, OFTEN } from "../../bench/src/near/measure.js";
import { overwritten } from "../../bench/src/near/near-checks.js";
import type { Result } from "../../bench/src/results/result.js";
import { buildRow } from "../../bench/src/runner/run-scenario.js";
import type { Context } from "../../bench/src/scenario.js";
import idleScenario from "../../bench/src/scenarios/idle.js";
import nearScenario from "../../bench/src/scenarios/near.js";
import { results } from "../../scripts/results.js";

// Results of scenarios as bench/results has them, with tables of tests.

export const table = (columns: string[], ...rows: string[][]): Result["table"] => ({
  columns: columns.map((title) => ({ title })),
  rows: rows.map((cells) => ({ cells })),
});

/** Returns the result of a scenario, from the machine and with the versions of the published faults. */
export const measured = (scenario: string, own: Partial<Result>): ReadonlyMap<string, Result> =>
  new Map([[scenario, { ...results.get("faults")!, scenario, checks: [], ...own }]]);

const clients = ["warmline", "@upstash/redis", "bare agent", "ioredis (TCP)", "node-redis (TCP)"].map(
  (label) => ({ name: label, label }),
);

/** A result of idle with the table of the scenario's own report: 1.5 ms back to back, 2.5 ms after a freeze. */
export function idleResult(...frozenS: number[]): ReadonlyMap<string, Result> {
  const context = { settings: { invocations: 1, rounds: 5 } } as Context;
  const rows = [0, ...frozenS].flatMap((idleS) =>
    clients.flatMap((client) =>
      ["get", "set"].map((command) =>
        buildRow(
          { client, command, idleS, frozen: idleS > 0 },
          [-0.2, -0.1, 0, 0.1, 0.2].map((noise) => [
            { latencies: [(idleS > 0 ? 2.5 : 1.5) + noise], failed: 0, longestPauseS: idleS },
          ]),
        ),
      ),
    ),
  );
  return measured("idle", { table: idleScenario.report(rows as never, context).table });
}

/** A result of near with a row for each of the scenario's own cases. */
export async function nearResult(): Promise<ReadonlyMap<string, Result>> {
  const context = { rig: async () => ({}), clients: clients.slice(1, 2), record: () => undefined };
  const cases = await nearScenario.cases(context as unknown as Context);
  const rows = (cases as readonly NearCase[]).map(({ title, every }) => [
    overwritten({ every }),
    title,
    every === OFTEN ? "9.9" : title === "warmline, no cache" ? "10.0 (10.0 to 10.0)" : "1.4 (1.3 to 1.5)",
  ]);
  return measured("near", { table: table(["writes", "reads", "commands"], ...rows) });
}
