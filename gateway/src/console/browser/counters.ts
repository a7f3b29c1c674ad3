import { byId } from "./dom.js";
import { type Gateway, Unauthorized } from "./gateway.js";
import { textOf } from "./text.js";

const EVERY = 1_000;
const SECONDS = 60;
/** The size of the data is fetched only once in this many rounds. */
const DATA_EVERY = 5;

/** The number of commands so far: of all clients, and of the page itself. */
interface Commands {
  readonly at: number;
  readonly all: number;
  readonly own: number;
}

/**
 * Shows connections, commands per second, keys and memory, fetched each second while the page is visible, until the token is
 * rejected. Commands that the page sends for itself do not count.
 */
export function showCounters(gateway: Gateway, onError: (error: unknown) => void): void {
  const rates: number[] = [];
  let last: Commands | null = null;
  const show = (counters: Map<string, number>, own: number | null) => {
    // The page's own connection is one of them.
    byId("connections").textContent = String(counters.get("connections_open") ?? 0);
    byId("upstream").textContent = String(counters.get("upstream_connections") ?? 0);
    // The commands of a request that is under way may be counted or not.
    if (own === null) return;
    const now = { at: performance.now(), all: counters.get("commands_total") ?? 0, own };
    if (last) {
      const count = now.all - last.all - (now.own - last.own);
      const rate = Math.max(0, count / ((now.at - last.at) / 1_000));
      byId("rate").textContent = rounded(rate);
      rates.push(rate);
      rates.splice(0, rates.length - SECONDS);
      byId("peak").textContent = rounded(Math.max(...rates));
    }
    last = now;
  };
  const tick = async (round: number): Promise<void> => {
    try {
      if (document.visibilityState === "visible") {
        const own = gateway.ownRequests === 0 ? gateway.ownCommands : null;
        const counters = await gateway.counters();
        byId("counters").hidden = counters === null;
        if (counters) show(counters, own === gateway.ownCommands ? own : null);
        if (counters && round % DATA_EVERY === 0) await showData(gateway);
      }
      onError(null);
    } catch (error) {
      last = null;
      onError(error);
      if (error instanceof Unauthorized) return;
    }
    setTimeout(tick, EVERY, round + 1);
  };
  void tick(0);
}

/** Shows how many keys Redis has, and its memory, if the token may read them. */
async function showData(gateway: Gateway): Promise<void> {
  const [size, info] = await gateway.runAll([["DBSIZE"], ["INFO", "memory"]]);
  fill("size", size?.kind === "integer" ? size.text : undefined);
  const text = info?.kind === "bulk" ? new TextDecoder().decode(info.bytes) : textOf(info);
  fill("memory", /^used_memory_human:(\S+)/m.exec(text)?.[1]);
}

function fill(id: string, text: string | undefined): void {
  byId(id).textContent = text ?? "";
  byId(id).parentElement!.hidden = text === undefined;
}

function rounded(rate: number): string {
  return rate < 10 ? rate.toFixed(1).replace(".0", "") : String(Math.round(rate));
}
