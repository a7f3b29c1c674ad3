import { byId, element } from "./dom.js";
import type { Gateway } from "./gateway.js";
import type { Reply } from "./resp.js";
import { shown } from "./text.js";

/** Keys shown before "More" is clicked. */
const PAGE = 200;
/** Steps of SCAN taken for one page, so that a pattern that fits nothing does not walk through all of a large Redis. */
const MAX_STEPS = 50;

/** The list of keys, with their types and times to live. */
export class Keys {
  #cursor = "0";
  #pattern = "*";
  #count = 0;
  readonly #seen = new Set<string>();

  constructor(
    readonly gateway: Gateway,
    readonly onOpen: (key: Uint8Array, type: string) => void,
    readonly onError: (error: unknown) => void,
  ) {
    byId("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.look();
    });
    byId("more").addEventListener("click", () => void this.#page());
  }

  /** Looks anew, for what the field says. */
  look(): void {
    this.#pattern = byId<HTMLInputElement>("pattern").value.trim() || "*";
    this.#cursor = "0";
    this.#count = 0;
    this.#seen.clear();
    byId("rows").replaceChildren();
    void this.#page();
  }

  async #page(): Promise<void> {
    byId("more").hidden = true;
    const seen = this.#seen;
    const goal = this.#count + PAGE;
    try {
      let steps = 0;
      do {
        const reply = await this.gateway.run(["SCAN", this.#cursor, "MATCH", this.#pattern, "COUNT", "100"]);
        const [cursor, keys] = scanned(reply);
        this.#cursor = cursor;
        // SCAN may give a key twice.
        const fresh = keys.filter((key) => !seen.has(shown(key)) && seen.add(shown(key)));
        await this.#append(fresh);
        this.#count += fresh.length;
      } while (this.#cursor !== "0" && this.#count < goal && ++steps < MAX_STEPS);
    } catch (error) {
      byId("found").textContent = (error as Error).message;
      this.onError(error);
      return;
    }
    const isAll = this.#cursor === "0";
    byId("more").hidden = isAll;
    const what = this.#count === 1 ? "1 key" : `${this.#count} keys`;
    byId("found").textContent = isAll ? what : `${what} so far`;
  }

  async #append(keys: readonly Uint8Array[]): Promise<void> {
    const replies = await this.gateway.runAll(
      keys.flatMap((key) => [
        ["TYPE", key],
        ["PTTL", key],
      ]),
    );
    keys.forEach((key, at) => {
      const type = textOf(replies[2 * at]);
      // It may have gone since.
      if (type === "none") return;
      const row = element("tr");
      const name = element("button", shown(key));
      name.type = "button";
      name.addEventListener("click", () => this.onOpen(key, type));
      const first = element("td");
      first.append(name);
      row.append(first, element("td", type), element("td", duration(Number(textOf(replies[2 * at + 1])))));
      byId("rows").append(row);
    });
  }
}

function scanned(reply: Reply): [cursor: string, keys: Uint8Array[]] {
  if (reply.kind !== "array") throw new Error(reply.kind === "error" ? reply.text : "SCAN returned no list");
  const [cursor, list] = reply.items;
  const keys = list?.kind === "array" ? list.items : [];
  return [textOf(cursor), keys.flatMap((key) => (key.kind === "bulk" ? [key.bytes] : []))];
}

function textOf(reply: Reply | undefined): string {
  if (reply?.kind === "bulk") return shown(reply.bytes);
  return reply && "text" in reply ? reply.text : "";
}

/** Returns a time to live in ms as text. */
function duration(ms: number): string {
  if (!(ms >= 0)) return "";
  const seconds = ms / 1_000;
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}
