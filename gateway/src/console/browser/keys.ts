import { button, byId, element, group, onSubmit } from "./dom.js";
import { type CommandArg, type Gateway, repliesIn } from "./gateway.js";
import { groupKeys, type KeyGroup, type ListedKey } from "./key-groups.js";
import type { Reply } from "./resp.js";
import { bytesOf, duration, itemsOf, shown, TYPES, textOf, typeName } from "./text.js";

/** Keys fetched before "More" is clicked. */
const PAGE = 200;
/** Steps of SCAN taken for one page, so that a pattern without a match does not scan all of a large Redis. */
const MAX_STEPS = 50;
/** The size up to which a group is open at first. A group that is listed alone is open at any size. */
const OPEN_UP_TO = 20;
/** The number of keys up to which the whole list is fetched again after a command. */
const CHEAP = 1_000;
/** Arguments of a command that are looked up as keys when the list is longer. */
const MAX_LOOKED_UP = 20;

/** The list of keys, sorted and grouped by prefix, with their types and times to live. */
export class Keys {
  #cursor = "0";
  #pattern = "*";
  /** The type of the keys to list. Empty for all. */
  #type = "";
  /** The number of keys that Redis has, if that is known and all are to be listed. */
  #total: number | null = null;
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
    onSubmit(byId("search"), () => {
      this.#pattern = byId<HTMLInputElement>("pattern").value.trim() || "*";
      this.#type = byId<HTMLSelectElement>("type").value;
      void this.search();
    });
    const types = byId<HTMLSelectElement>("type");
    types.append(...TYPES.map((type) => new Option(typeName(type), type)));
    types.addEventListener("change", () => byId<HTMLFormElement>("search").requestSubmit());
    byId("more").addEventListener(
      "click",
      () => void this.#page(this.#search, this.#keys, this.#keys.size + PAGE),
    );
  }

  /** Fetches the first page. */
  search(): Promise<void> {
    return this.#fetchAgain(PAGE);
  }

  /**
   * Shows what a command has changed. The list stays as long as it is.
   * @param names the keys that it may have changed, others among them
   * @param isAll whether it may have changed all keys
   */
  async changed(names: readonly CommandArg[], isAll: boolean): Promise<void> {
    const { size } = this.#keys;
    if (isAll || size <= CHEAP) return this.#fetchAgain(Math.max(PAGE, size));
    const looked = names.slice(0, MAX_LOOKED_UP);
    const keys = looked.map((arg) => (typeof arg === "string" ? new TextEncoder().encode(arg) : arg));
    const isListed = (key: Uint8Array) => this.#keys.has(shown(key));
    const isForAll = this.#pattern === "*" && this.#type === "";
    try {
      await this.#fetch(isForAll ? keys : keys.filter(isListed), this.#keys);
    } catch (error) {
      this.onError(error);
    }
    this.#show();
  }

  /** Marks the key that is shown beside the list. */
  select(name: string | null): void {
    this.#selected = name;
    for (const each of byId("rows").querySelectorAll(".row")) mark(each, name);
  }

  async #fetchAgain(goal: number): Promise<void> {
    this.#cursor = "0";
    await this.#page(++this.#search, new Map(), goal);
  }

  async #page(search: number, keys: Map<string, ListedKey>, goal: number): Promise<void> {
    byId("more").hidden = true;
    let cursor = this.#cursor;
    let total: number | null = null;
    try {
      const filters = ["MATCH", this.#pattern, ...(this.#type ? ["TYPE", this.#type] : [])];
      if (filters.length === 2 && this.#pattern === "*") {
        const size = await this.gateway.runOwn("DBSIZE");
        if (size.kind === "integer") total = Number(size.text);
      }
      const maxSteps = MAX_STEPS * Math.ceil(goal / PAGE);
      let steps = 0;
      do {
        const reply = await this.gateway.runOwn("SCAN", cursor, ...filters, "COUNT", "100");
        const [next, found] = scanned(reply);
        cursor = next;
        // SCAN may return a key twice.
        await this.#fetch(
          found.filter((key) => !keys.has(shown(key))),
          keys,
        );
      } while (cursor !== "0" && keys.size < goal && ++steps < maxSteps);
    } catch (error) {
      if (search === this.#search) byId("found").textContent = (error as Error).message;
      this.onError(error);
      return;
    }
    if (search !== this.#search) return;
    this.#cursor = cursor;
    this.#keys = keys;
    this.#total = total;
    this.#show();
  }

  /** Looks keys up. Adds those that exist to the list, and removes the others from it. */
  async #fetch(found: readonly Uint8Array[], keys: Map<string, ListedKey>): Promise<void> {
    for (const entry of await lookUp(this.gateway, found)) {
      if (entry.type === "none") keys.delete(entry.name);
      else keys.set(entry.name, entry);
    }
  }

  #show(): void {
    const { size } = this.#keys;
    byId("rows").replaceChildren(...this.#elementsOf(groupKeys([...this.#keys.values()])));
    byId("more").hidden = this.#isComplete;
    byId("found").textContent = this.#found(size);
  }

  #found(size: number): string {
    if (!this.#isComplete) return this.#total === null ? `${size} so far` : `${size} of ${this.#total} keys`;
    if (size > 0) return size === 1 ? "1 key" : `${size} keys`;
    return this.#pattern === "*" && this.#type === "" ? "No keys yet." : "No key matches.";
  }

  /** Whether all keys that match are in the list. */
  get #isComplete(): boolean {
    return this.#cursor === "0";
  }

  #elementsOf(entries: readonly (KeyGroup | ListedKey)[]): HTMLElement[] {
    const isAlone = entries.length === 1;
    return entries.map((entry) => ("entries" in entry ? this.#groupOf(entry, isAlone) : this.#rowOf(entry)));
  }

  /** @param isAlone whether nothing is listed beside the group, as after a search for its prefix */
  #groupOf({ prefix, size, entries }: KeyGroup, isAlone: boolean): HTMLElement {
    const details = element("details", "", "group");
    details.open = this.#toggled.get(prefix) ?? (isAlone || size <= OPEN_UP_TO);
    const summary = group(
      "summary",
      "",
      element("span", prefix, "name"),
      element("span", this.#isComplete ? String(size) : `${size}, maybe more`, "dim"),
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

/** Returns keys with their types and times to live. The type of a key that does not exist is `none`. */
export async function lookUp(gateway: Gateway, keys: readonly Uint8Array[]): Promise<ListedKey[]> {
  const replies = await gateway.runAll(
    keys.flatMap((key) => [
      ["TYPE", key],
      ["PTTL", key],
    ]),
  );
  return keys.map((key, at) => {
    const type = textOf(replies[2 * at]);
    return { key, name: shown(key), type, ttl: Number(textOf(replies[2 * at + 1])) };
  });
}

function mark(row: Element, selected: string | null): void {
  const name = row.querySelector(".name");
  if (name?.textContent === selected) name?.setAttribute("aria-current", "true");
  else name?.removeAttribute("aria-current");
}

function scanned(reply: Reply): [cursor: string, keys: Uint8Array[]] {
  const [cursor, list] = repliesIn(reply);
  return [textOf(cursor), itemsOf(list).map(bytesOf)];
}
