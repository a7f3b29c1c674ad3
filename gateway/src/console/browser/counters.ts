import { byId } from "./dom.js";
import type { Gateway } from "./gateway.js";

const EVERY = 1_000;
const SECONDS = 60;

/** Shows connections and commands per second, fetched each second while the page is visible. */
export function showCounters(gateway: Gateway, onError: (error: unknown) => void): void {
  const rates: number[] = [];
  let last: { readonly at: number; readonly commands: number } | null = null;
  const show = (counters: Map<string, number>) => {
    const at = performance.now();
    const commands = counters.get("upstream_commands_total") ?? 0;
    // The page's own connection is one of them; its other requests cost no command.
    byId("connections").textContent = String(counters.get("connections_open") ?? 0);
    byId("upstream").textContent = String(counters.get("upstream_connections") ?? 0);
    if (last) {
      const rate = Math.max(0, (commands - last.commands) / ((at - last.at) / 1_000));
      byId("rate").textContent = rounded(rate);
      rates.push(rate);
      rates.splice(0, rates.length - SECONDS);
      byId("peak").textContent = rounded(Math.max(...rates));
    }
    last = { at, commands };
  };
  const tick = async (): Promise<void> => {
    try {
      if (document.visibilityState === "visible") {
        const counters = await gateway.counters();
        byId("counters").hidden = counters === null;
        if (counters) show(counters);
      }
      onError(null);
    } catch (error) {
      last = null;
      onError(error);
    }
    setTimeout(tick, EVERY);
  };
  void tick();
}

function rounded(rate: number): string {
  return rate < 10 ? rate.toFixed(1).replace(".0", "") : String(Math.round(rate));
}
