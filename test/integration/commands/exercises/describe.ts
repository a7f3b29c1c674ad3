import { beforeEach, describe, expect, type TestOptions, test } from "vitest";
import { Redis } from "../../../../src/index.js";
import { type GatewayProcess, startGatewayProcess } from "../../../../testbed/src/index.js";
import { beforeTests } from "../../../support/lifetime.js";
import { samples } from "../../../unit/commands/samples/index.js";
import type { Sample } from "../../../unit/commands/samples/sample.js";
import type { Engine, Exercise } from "./exercise.js";
import { exercises } from "./index.js";

/** Replies of an engine to a command, a subcommand or an option that it does not have, or must not have here. */
const LACKING = /^(ERR unknown|ERR syntax error|NOPERM)/i;

/** An engine behind a gateway. */
export interface Rig {
  readonly engine: Engine;
  readonly responseFormat: "resp2" | "json";
  /** Starts what the gateway needs. Returns its flags, and a function that ends what was started. */
  readonly start: () => Promise<{ args: string[]; stop?: () => Promise<void> }>;
  /** Options of the test suite, such as a tag for what the engine needs. */
  readonly options?: TestOptions;
}

/** Registers a test for each exercise: it works on this engine through the gateway, or the engine lacks the command. */
export function describeExercises({ engine, responseFormat, start, options = {} }: Rig): void {
  describe(`on ${engine}, through the gateway, replies as ${responseFormat}`, options, () => {
    let gateway: GatewayProcess;
    let redis: Redis;
    beforeTests(async (shared) => {
      const { args, stop } = await start();
      if (stop) shared({ stop });
      gateway = shared(await startGatewayProcess({ args }));
      redis = shared(new Redis({ url: gateway.url, token: gateway.token, responseFormat }));
    });
    beforeEach(() => redis.flushall());

    const lacking = (exercise: Exercise) => exercise.lackedBy.includes(engine);
    const all = Object.entries(exercises);

    test.each(all.filter(([, exercise]) => !lacking(exercise)))("%s works", async (_, { run }) => {
      await run(redis);
    });

    test.each(all.filter(([, exercise]) => lacking(exercise)))("%s is missing here", async (method) => {
      const [place, name] = method.includes(".") ? method.split(".") : [undefined, method];
      const methods = (place ? redis[place as "json"] : redis) as unknown as Record<
        string,
        (...args: any[]) => unknown
      >;
      const [[args]] = samples[method] as [Sample];
      await expect(methods[name!]!(...args)).rejects.toThrow(LACKING);
    });
  });
}
