import { versionOf } from "../machine.js";
import type { Style } from "../result.js";

const LABELS: Record<string, string> = {
  warmline: "warmline",
  "warmline-undici": "warmline on undici",
  "warmline-fetch": "warmline/fetch",
  upstash: "@upstash/redis",
  raw: "raw socket",
};

/** Returns the display name of a measured client. */
export const labelOf = (client: string): string => LABELS[client] ?? client;

/** The client's colour in charts. */
export const styleOf = (client: string): Style => ({
  label: labelOf(client),
  hue: client.startsWith("warmline") ? 0 : client === "upstash" ? 1 : 2,
  dashed: client.includes("-"),
});

/** Notes of all scenarios that measure the client itself. */
export const NOTES = [
  "The raw socket is the lower bound: it sends a prepared request and reads the response only to find its end.",
  "The server sends fixed replies, the same bytes as warmline-gateway, from a separate process. It uses so little CPU time that the client determines the results.",
  "Clients run one after another in each round, in an order determined by the seed. A ratio is the median of the rounds' ratios, so that other load on the machine affects both of its sides.",
];

/** The versions of what these scenarios measure. */
export const versionsMeasured = (): Record<string, string> =>
  Object.fromEntries(
    ["warmline", "@upstash/redis", "warmline-gateway"].map((name) => [name, versionOf(name)]),
  );
