import { checks } from "./checks.js";
import { readOnlyChecks } from "./reads.js";

/**
 * Runs the suite, one check after another.
 * @param module what the package exports.
 * @param setup `{ runtime, url, token, readOnlyToken, silentUrl, refusedUrl, reportsUnsent }`
 * @param more further checks, for runtimes that can do more.
 * @returns for each check by its name null, or what went wrong.
 */
export async function runChecks(module, setup, more = {}) {
  const { url, token, readOnlyToken } = setup;
  const context = {
    module,
    setup,
    redis: new module.Redis({ url, token }),
    reader: new module.Redis({ url, token: readOnlyToken }),
    key: (name) => `${setup.runtime}:${name}`,
    outcomeOfRefusal: setup.reportsUnsent ? "unsent" : "unknown",
  };
  await context.redis.set(context.key("left"), { name: "Ada" });
  const report = {};
  for (const [name, check] of Object.entries({ ...checks, ...readOnlyChecks, ...more })) {
    try {
      await check(context);
      report[name] = null;
    } catch (error) {
      report[name] = String(error?.stack ?? error);
    }
  }
  context.redis.close();
  return report;
}
