import type { BenchClient } from "./bench-client.js";
import type { Style } from "./result.js";

/** Returns the label and colour of a row's client; tuned settings are dashed. */
export const clientStyle = ({
  client: { label, order, tunes },
}: {
  readonly client: Pick<BenchClient, "label" | "order" | "tunes">;
}): Style => ({ label, hue: Math.floor(order) - 1, ...(tunes !== undefined && { dashed: true }) });
