import { button, byId, element, group } from "./dom.js";
import type { Gateway } from "./gateway.js";
import { groupKeys, type KeyGroup, type ListedKey } from "./key-groups.js";
import type { Reply } from "./resp.js";
import { duration, shown, textOf, typeName } from "./text.js";

/** Keys fetched before "More" is clicked. */
const PAGE = 200;
/** Steps of SCAN taken for one page, so that a pattern without a match does not scan all of a large Redis. */
const MAX_STEPS = 50;
/** The size up to which a group is open at first. */
const OPEN_UP_TO = 20;

/** The list of keys, sorted and grouped by prefix, with their types and times to live. */
export class Keys {
  #cursor = "0";
  #pattern = "*";
  /** The fetched keys by their names. */
  #keys = new Map<string, ListedKey>();
  /** The groups that the user opened or closed, by their prefixes. */
  readonly #toggled = new Map<string, boolean>();
  #selected: string | null = null;
  /** The number of the current search. Results of earlier ones are dropped. */
  #search = 0;

  constructor(
    readonly gateway: Gateway,
    readonly onOpen: (key: ListedKey) => void,
    readonly onError: (error: unknown) => void,
  ) {
    byId("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#pattern = byId<HTMLInputElement>("pattern").value.trim() || "*";
      void this.search();
    });
    byId("more").addEventListener("click", () => void this.#page(this.#search, this.#keys));
  }

  /** Whether all keys that match are in the list. */
  get isComplete(): boolean {
    return this.#cursor === "0";
  }

  /** Fetches the first page again. */
  async search(): Promise<void> {
    this.#cursor = "0";
    await this.#page(++this.#search, new Map());
  }

  /** Marks the key that is shown beside the list. */
  select(name: string | null): void {
    this.#selected = name;
    for (const each of byId("rows").querySelectorAll(".row")) mark(each, name);
  }

  async #page(search: number, keys: Map<string, ListedKey>): Promise<void> {
    byId("more").hidden = true;
    const goal = keys.size + PAGE;
    let cursor = this.#cursor;
    try {
      let steps = 0;
      do {
        const reply = await this.gateway.run(["SCAN", cursor, "MATCH", this.#pattern, "COUNT", "100"], {
          isOwn: true,
        });
        const [next, found] = scanned(reply);
        cursor = next;
        // SCAN may return a key twice.
        await this.#fetch(
          found.filter((key) => !keys.has(shown(key))),
          keys,
        );
      } while (cursor !== "0" && keys.size < goal && ++steps < MAX_STEPS);
    } catch (error) {
      if (search === this.#search) byId("found").textContent = (error as Error).message;
      this.onError(error);
      return;
    }
    if (search !== this.#search) return;
    this.#cursor = cursor;
    this.#keys = keys;
    this.#show();
  }

  /** Fetches types and times to live, and adds the keys. */
  async #fetch(found: readonly Uint8Array[], keys: Map<string, ListedKey>): Promise<void> {
    const replies = await this.gateway.runAll(
      found.flatMap((key) => [
        ["TYPE", key],
        ["PTTL", key],
      ]),
    );
    for (const [at, key] of found.entries()) {
      const type = textOf(replies[2 * at]);
      // The key may have expired since.
      if (type === "none") continue;
      const name = shown(key);
      keys.set(name, { key, name, type, ttl: Number(textOf(replies[2 * at + 1])) });
    }
  }

  #show(): void {
    const { size } = this.#keys;
    byId("rows").replaceChildren(...this.#elementsOf(groupKeys([...this.#keys.values()])));
    byId("more").hidden = this.isComplete;
    const count = size === 1 ? "1 key" : `${size} keys`;
    const none = this.#pattern === "*" ? "No keys yet." : "No key matches.";
    byId("found").textContent = this.isComplete ? (size === 0 ? none : count) : `${count} so far`;
  }

  #elementsOf(entries: readonly (KeyGroup | ListedKey)[]): HTMLElement[] {
    return entries.map((entry) => ("entries" in entry ? this.#groupOf(entry) : this.#rowOf(entry)));
  }

  #groupOf({ prefix, size, entries }: KeyGroup): HTMLElement {
    const details = element("details", "", "group");
    details.open = this.#toggled.get(prefix) ?? size <= OPEN_UP_TO;
    const summary = group(
      "summary",
      "",
      element("span", prefix, "name"),
      element("span", String(size), "dim"),
    );
    summary.addEventListener("click", () => this.#toggled.set(prefix, !details.open));
    details.append(summary, group("div", "inside", ...this.#elementsOf(entries)));
    return details;
  }

  #rowOf(entry: ListedKey): HTMLElement {
    const row = group(
      "div",
      "row",
      button(entry.name, () => this.onOpen(entry), "name"),
      element("span", typeName(entry.type), "dim type"),
      element("span", duration(entry.ttl), "dim ttl"),
    );
    mark(row, this.#selected);
    return row;
  }
}

function mark(row: Element, selected: string | null): void {
  const name = row.querySelector(".name");
  if (name?.textContent === selected) name?.setAttribute("aria-current", "true");
  else name?.removeAttribute("aria-current");
}

function scanned(reply: Reply): [cursor: string, keys: Uint8Array[]] {
  if (reply.kind !== "array") throw new Error(reply.kind === "error" ? reply.text : "SCAN returned no list");
  const [cursor, list] = reply.items;
  const keys = list?.kind === "array" ? list.items : [];
  return [textOf(cursor), keys.flatMap((key) => (key.kind === "bulk" ? [key.bytes] : []))];
}
