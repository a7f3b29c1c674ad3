import type { StartedGateway } from "./start.js";

/** Returns the environment variables of the gateway's URL and token, as this client and @upstash/redis name them. */
export function environmentOf(gateway: {
  readonly url: string;
  readonly token: string;
}): Record<string, string> {
  return {
    WARMLINE_URL: gateway.url,
    WARMLINE_TOKEN: gateway.token,
    UPSTASH_REDIS_REST_URL: gateway.url,
    UPSTASH_REDIS_REST_TOKEN: gateway.token,
  };
}

/**
 * Returns the lines printed once the gateway is ready. Programs can wait for the first line. The last lines can be
 * pasted into a `.env` file.
 * @param showToken whether the token was made for this run: one that was given is known already, and a server's output
 * is kept in logs
 */
export function readyLines(
  gateway: Pick<StartedGateway, "url" | "token" | "engine" | "data" | "problem" | "seeded" | "console">,
  showToken: boolean,
): string[] {
  const environment = Object.entries(environmentOf(gateway));
  const shown = environment.filter(([name]) => showToken || !name.endsWith("TOKEN"));
  return [
    `warmline-gateway ready ${gateway.url}`,
    `engine: ${gateway.engine}`,
    ...(gateway.problem === null ? [] : [`problem: ${gateway.problem}; commands fail until it replies`]),
    ...(gateway.data === null ? [] : [`data: ${gateway.data}`]),
    ...(gateway.seeded === null ? [] : [`seed: ${gateway.seeded}`]),
    ...(gateway.console ? [`console: ${gateway.url}/${showToken ? `#${gateway.token}` : ""}`] : []),
    "",
    ...shown.map(([name, value]) => `${name}=${value}`),
  ];
}
