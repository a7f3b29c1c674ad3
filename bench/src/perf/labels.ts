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

/** Said with all that these scenarios measure. */
export const NOTES = [
  "The raw socket is the floor: a ready-made request, and an answer read only as far as it takes to know that it is whole.",
  "The server answers with fixed replies, the same bytes that warmline-gateway gives, from a process of its own: it costs so little that what is measured is the client.",
  "Clients take turns round by round in an order mixed by the seed; a ratio is the median of the rounds' own ratios, so that what else the machine did falls on both sides of it.",
];

/** The versions of what these scenarios measure. */
export const versionsMeasured = (): Record<string, string> =>
  Object.fromEntries(
    ["warmline", "@upstash/redis", "warmline-gateway"].map((name) => [name, versionOf(name)]),
  );
