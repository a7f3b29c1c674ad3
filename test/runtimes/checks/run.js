import { checks } from "./checks.js";

/**
 * Runs the suite, one check after another.
 * @param module what the package exports.
 * @param setup `{ runtime, url, token, silentUrl, nobodyUrl, tellsUnsent }`
 * @returns for each check by its name null, or what went wrong.
 */
export async function runChecks(module, setup) {
  const { url, token } = setup;
  const context = {
    module,
    setup,
    redis: new module.Redis({ url, token }),
    key: (name) => `${setup.runtime}:${name}`,
    outcomeOfRefusal: setup.tellsUnsent ? "unsent" : "unknown",
  };
  const report = {};
  for (const [name, check] of Object.entries(checks)) {
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
