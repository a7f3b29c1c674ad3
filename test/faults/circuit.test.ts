import { describe, expect } from "vitest";
import { blackhole } from "warmline-testbed";
import { frozen, type Route, routeTests, type StepResult } from "./support/rig.js";

// An outage costs one timeout, not one for each call; a freeze is no outage.

const routeTest = routeTests();

const TIMEOUT = 2_000;

/** Time in ms that a busy machine may add to four calls: less than another timeout, and than a fixed wait of 500 ms. */
const MACHINE = 250;

/** Drops all bytes from now on, on open and on new connections. */
function swallow({ path }: Route): void {
  path.onConnection(() => blackhole("open"));
  path.blackholeAll();
}

const total = (results: readonly StepResult[]) => results.reduce((sum, { ms }) => sum + ms, 0);

describe.concurrent("a path that swallows all bytes", () => {
  const FOUR = (key: string) =>
    [
      ["INCR", key],
      ["GET", key],
      ["INCR", key],
      ["GET", key],
    ] as const;

  // Repeated, since a busy machine is slow now and then, but a second timeout or a fixed wait would come in each run.
  routeTest.for([
    ["before the first connection", false, 0],
    ["under an open connection", true, 0],
    ["during a freeze", true, 2_500],
  ] as const)("four calls: at most 1.05 timeouts, %s", { retry: 2 }, async ([, warm, freeze], { route }) => {
    const instance = await route.startFunction({ timeout: TIMEOUT, preconnect: false });
    if (warm) await instance.run(["GET", route.key]);
    if (freeze > 0) await frozen(instance, freeze, () => swallow(route));
    else swallow(route);
    const calls = instance.run(...FOUR(route.key));
    if (freeze > 0) await instance.thaw();
    const results = await calls;
    expect(results[0]!.error).toMatchObject({ name: "TimeoutError" });
    for (const { error } of results.slice(1)) {
      expect(error).toMatchObject({ name: "ConnectionError", outcome: "unsent" });
      expect(error!.message).toContain("the circuit is open");
    }
    expect(total(results)).toBeLessThan(1.05 * TIMEOUT + MACHINE);
    expect(route.applied("INCR")).toBe(0);
  });

  routeTest("the first call after a thaw succeeds though the circuit was open before", async ({ route }) => {
    const instance = await route.startFunction({
      timeout: TIMEOUT,
      preconnect: false,
      circuit: { resetTimeout: 60_000 },
    });
    swallow(route);
    const [, second] = await instance.run(["INCR", route.key], ["INCR", route.key]);
    expect(second!.error?.message).toContain("the circuit is open");
    await frozen(instance, 2_500, () => route.path.onConnection(() => undefined));
    const done = instance.run(["INCR", route.key], ["INCR", route.key]);
    await instance.thaw();
    expect(await done).toMatchObject([{ value: 1 }, { value: 2 }]);
    expect(route.applied("INCR")).toBe(2);
  });
});
