import type { StartedGateway } from "./start.js";

/** What a program finds the gateway by: the names of this client and those of @upstash/redis. */
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
 * What is printed once the gateway answers. The first line is for programs that wait for it; the last
 * ones are to be pasted into a `.env` file.
 * @param showToken whether the token was made for this run: one that was given is known already, and a server's output
 * is kept in logs
 */
export function readyLines(
  gateway: Pick<StartedGateway, "url" | "token" | "engine" | "data" | "seeded" | "console">,
  showToken: boolean,
): string[] {
  const environment = Object.entries(environmentOf(gateway));
  const shown = environment.filter(([name]) => showToken || !name.endsWith("TOKEN"));
  return [
    `warmline-gateway ready ${gateway.url}`,
    `engine: ${gateway.engine}`,
    ...(gateway.data === null ? [] : [`data: ${gateway.data}`]),
    ...(gateway.seeded === null ? [] : [`seed: ${gateway.seeded}`]),
    ...(gateway.console ? [`console: ${gateway.url}/${showToken ? `#${gateway.token}` : ""}`] : []),
    "",
    ...shown.map(([name, value]) => `${name}=${value}`),
  ];
}
