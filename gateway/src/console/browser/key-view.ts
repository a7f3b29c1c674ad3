import { button, byId, dangerousButton, element, group, onSubmit } from "./dom.js";
import type { CommandArg, Gateway } from "./gateway.js";
import { formatTree, jsonTree, parseTree } from "./json-tree.js";
import type { ListedKey } from "./key-groups.js";
import { lookUp } from "./keys.js";
import type { Reply } from "./resp.js";
import { bytesOf, decoded, duration, itemsOf, lineEndOf, shown, TYPES, textOf, typeName } from "./text.js";

/** Maximum number of bytes that are read of a string. A longer one is shown in part, and can't be edited. */
const MAX_BYTES = 64 * 1024;
/** Number of entries that are read of a collection. HSCAN and SSCAN may return more. */
const MAX_ENTRIES = "200";

/** Approximate number of characters in a line of the editor, and its maximum number of lines. */
const LINE = 80;
const MAX_ROWS = 20;

/** An entry of a value: a field, an element, a member. */
interface Entry {
  /** Its name or index. Empty if it has neither, as a member of a set. */
  readonly label: string;
  readonly value: Uint8Array;
  /** Returns the command that sets its value. */
  readonly edit?: (text: string) => CommandArg[];
  /** The commands that remove it, to be run in one transaction. */
  readonly remove?: CommandArg[][];
}

interface Content {
  readonly entries: readonly Entry[];
  /** The size of the whole value: bytes of a string, entries of a collection. */
  readonly size: string;
  /** Whether only a part was read. */
  readonly isPart: boolean;
}

/** Commands for values of one type: they read a value and its size, and add an entry. */
interface Reader {
  read(key: CommandArg): CommandArg[];
  /** The name of the command that returns the size. Its only argument is the key. */
  readonly size: string;
  entries(reply: Reply, key: CommandArg): Entry[];
  /** Labels of the inputs for a new entry. */
  readonly parts: readonly string[];
  /** Returns the command that adds an entry. It creates the key if it does not exist. */
  add(key: CommandArg, ...parts: readonly string[]): CommandArg[];
}

/** Runs commands that change the key, in one transaction. `isGone`: they delete the key. */
type Change = (commands: readonly (readonly CommandArg[])[], isGone?: boolean) => Promise<void>;

/** Value of a list element that is about to be removed. No other element has it. */
const REMOVED = `removed:${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;

const READERS: Record<string, Reader> = {
  string: {
    read: (key) => ["GETRANGE", key, "0", String(MAX_BYTES - 1)],
    size: "STRLEN",
    entries: (reply, key) => [
      { label: "", value: bytesOf(reply), edit: (text) => ["SET", key, text, "KEEPTTL"] },
    ],
    parts: ["value"],
    add: (key, value) => ["SET", key, value!],
  },
  hash: {
    read: (key) => ["HSCAN", key, "0", "COUNT", MAX_ENTRIES],
    size: "HLEN",
    entries: (reply, key) =>
      pairsOf(itemsOf(reply)[1]).map(([field, value]) => ({
        label: shown(field),
        value,
        edit: (text) => ["HSET", key, field, text],
        remove: [["HDEL", key, field]],
      })),
    parts: ["field", "value"],
    add: (key, field, value) => ["HSET", key, field!, value!],
  },
  list: {
    read: (key) => ["LRANGE", key, "0", String(Number(MAX_ENTRIES) - 1)],
    size: "LLEN",
    entries: (reply, key) =>
      itemsOf(reply).map((item, at) => ({
        label: String(at),
        value: bytesOf(item),
        edit: (text) => ["LSET", key, String(at), text],
        // Redis can't remove an element by its index.
        remove: [
          ["LSET", key, String(at), REMOVED],
          ["LREM", key, "1", REMOVED],
        ],
      })),
    parts: ["item"],
    add: (key, item) => ["RPUSH", key, item!],
  },
  set: {
    read: (key) => ["SSCAN", key, "0", "COUNT", MAX_ENTRIES],
    size: "SCARD",
    entries: (reply, key) =>
      itemsOf(itemsOf(reply)[1]).map((item) => ({
        label: "",
        value: bytesOf(item),
        remove: [["SREM", key, bytesOf(item)]],
      })),
    parts: ["member"],
    add: (key, member) => ["SADD", key, member!],
  },
  zset: {
    read: (key) => ["ZRANGE", key, "0", String(Number(MAX_ENTRIES) - 1), "WITHSCORES"],
    size: "ZCARD",
    entries: (reply, key) =>
      pairsOf(reply).map(([member, score]) => ({
        label: shown(member),
        value: score,
        edit: (text) => ["ZADD", key, "XX", text, member],
        remove: [["ZREM", key, member]],
      })),
    parts: ["member", "score"],
    add: (key, member, score) => ["ZADD", key, score!, member!],
  },
  stream: {
    read: (key) => ["XREVRANGE", key, "+", "-", "COUNT", "50"],
    size: "XLEN",
    entries: (reply) =>
      itemsOf(reply).map((item) => {
        const [id, fields] = itemsOf(item);
        const pairs = pairsOf(fields).map(([name, value]) => [shown(name), shown(value)]);
        return { label: textOf(id), value: encoder.encode(JSON.stringify(Object.fromEntries(pairs))) };
      }),
    parts: ["field", "value"],
    add: (key, field, value) => ["XADD", key, "*", field!, value!],
  },
  "ReJSON-RL": {
    read: (key) => ["JSON.GET", key],
    size: "EXISTS",
    entries: (reply, key) => [
      { label: "", value: bytesOf(reply), edit: (text) => ["JSON.SET", key, "$", text] },
    ],
    parts: ["document"],
    add: (key, document) => ["JSON.SET", key, "$", document!],
  },
};

const encoder = new TextEncoder();

/** The view of one key: its value, its time to live, and the controls that change them. */
export class KeyView {
  #open: ListedKey | null = null;

  /** @param onChanged called after a change, with the key and whether it is gone */
  constructor(
    readonly gateway: Gateway,
    readonly onChanged: (key: Uint8Array, isGone: boolean) => void,
    readonly onError: (error: unknown) => void,
  ) {}

  /** Shows a key as it is now. */
  async open(entry: ListedKey): Promise<void> {
    this.#open = entry;
    try {
      const [found] = (await lookUp(this.gateway, [entry.key])) as [ListedKey];
      const content = found.type === "none" ? null : await this.#read(found);
      // Another key may have been opened since.
      if (this.#open !== entry) return;
      if (content === null)
        this.#fill(element("h2", found.name), element("p", "This key does not exist any more.", "dim"));
      else this.#show(found, content);
    } catch (error) {
      if (this.#open === entry) this.#fill(element("p", (error as Error).message, "error"));
      this.onError(error);
    }
  }

  /** Shows a form for a new key. `onCreated` is called when the key exists. */
  create(onCreated: (key: ListedKey) => void): void {
    this.#open = null;
    const problem = problemLine();
    const name = field("name");
    const types = element("select");
    types.setAttribute("aria-label", "type of the new key");
    types.append(...TYPES.map((type) => new Option(typeName(type), type)));
    const parts = element("div", "", "parts");
    const inputs = () => [...parts.querySelectorAll("input")];
    const showParts = () => parts.replaceChildren(...READERS[types.value]!.parts.map(field));
    types.addEventListener("change", showParts);
    showParts();
    const form = group("form", "new", name, types, parts, element("button", "Create"));
    onSubmit(form, async () => {
      const type = types.value;
      const values = inputs().map((input) => input.value);
      try {
        const exists = await this.gateway.runOwn("EXISTS", name.value);
        const reply: Reply =
          textOf(exists) === "1"
            ? { kind: "error", text: "There is a key of this name already." }
            : await this.gateway.run(READERS[type]!.add(name.value, ...values));
        if (reply.kind === "error") problem.textContent = reply.text;
        else {
          const key = encoder.encode(name.value);
          this.onChanged(key, false);
          onCreated({ key, name: shown(key), type, ttl: -1 });
        }
      } catch (error) {
        this.onError(error);
      }
    });
    this.#fill(element("h2", "New key"), form, problem);
    name.focus();
  }

  async #read({ key, type }: ListedKey): Promise<Content> {
    const reader = READERS[type];
    if (!reader) return { entries: [], size: `type ${type}: use the prompt`, isPart: false };
    const [reply, sizeReply] = await this.gateway.runAll([reader.read(key), [reader.size, key]]);
    if (reply?.kind === "error") throw new Error(reply.text);
    const entries = reader.entries(reply!, key);
    if (type === "ReJSON-RL") return { entries, size: "JSON document", isPart: false };
    const total = Number(textOf(sizeReply));
    const [read, one, several] =
      type === "string" ? [entries[0]!.value.length, "byte", "bytes"] : [entries.length, "entry", "entries"];
    return { entries, size: `${total} ${total === 1 ? one : several}`, isPart: read < total };
  }

  #fill(...children: readonly HTMLElement[]): void {
    byId("no-key").hidden = true;
    byId("key-view").replaceChildren(...children);
  }

  #show(entry: ListedKey, content: Content): void {
    const { key, name, type, ttl } = entry;
    const problem = problemLine();
    const change: Change = async (commands, isGone = false) => {
      let replies: readonly Reply[];
      try {
        const [first, ...rest] = commands;
        replies =
          rest.length > 0 ? await this.gateway.runTogether(commands) : [await this.gateway.run(first!)];
      } catch (error) {
        problem.textContent = (error as Error).message;
        this.onError(error);
        return;
      }
      const refused = replies.find((reply) => reply.kind === "error");
      if (refused) problem.textContent = textOf(refused);
      else {
        this.onChanged(key, isGone);
        await this.open(entry);
      }
    };
    const isDocument = type === "string" || type === "ReJSON-RL";
    const facts = [typeName(type), content.size];
    const actions = group(
      "div",
      "actions",
      button("Refresh", () => this.open(entry)),
      dangerousButton("Delete", "Delete the key?", () => change([["DEL", key]], true)),
    );
    const value = isDocument
      ? group("div", "value", ...this.#document(content, change))
      : this.#collection(entry, content, change);
    this.#fill(
      element("h2", name),
      group("p", "facts dim", facts.join(", ")),
      group("div", "controls", this.#expiry(key, ttl, change), actions),
      problem,
      value,
    );
  }

  #expiry(key: Uint8Array, ttl: number, change: Change): HTMLElement {
    const input = element("input");
    input.type = "number";
    input.min = "1";
    input.required = true;
    input.placeholder = "seconds";
    input.setAttribute("aria-label", "time to live in seconds");
    const set = element("button", "Set");
    const form = group(
      "form",
      "expiry",
      element("span", ttl >= 0 ? `expires in ${duration(ttl)}` : "does not expire"),
      input,
      set,
      ...(ttl >= 0 ? [button("Never expire", () => change([["PERSIST", key]]))] : []),
    );
    onSubmit(form, () => change([["EXPIRE", key, input.value]]));
    return form;
  }

  /** The value of a string or a JSON document, and its editor. */
  #document({ entries, isPart }: Content, change: Change): HTMLElement[] {
    const { value, edit } = entries[0]!;
    if (isPart) {
      return [element("p", `The first ${value.length} bytes:`, "dim"), element("pre", shown(value))];
    }
    return [editable(value, edit && ((text) => change([edit(text)])))];
  }

  #collection({ key, type }: ListedKey, { entries, isPart }: Content, change: Change): HTMLElement {
    const rows = entries.map(({ label, value, edit, remove }) => {
      const cell = group("td", "value", editable(value, edit && ((text) => change([edit(text)]))));
      const removal = remove ? [dangerousButton("Remove", "Remove?", () => change(remove))] : [];
      const cells = label === "" ? [] : [element("th", label)];
      return group("tr", "", ...cells, cell, group("td", "actions", ...removal));
    });
    const table = group("table", "entries", group("tbody", "", ...rows));
    const part = isPart ? [element("p", `${entries.length} of the entries:`, "dim")] : [];
    return group("div", "", ...part, table, ...this.#additions(key, READERS[type], change));
  }

  /** The form that adds an entry to a collection. */
  #additions(key: Uint8Array, reader: Reader | undefined, change: Change): HTMLElement[] {
    if (!reader) return [];
    const inputs = reader.parts.map(field);
    const form = group("form", "add", ...inputs, element("button", "Add"));
    onSubmit(form, () => change([reader.add(key, ...inputs.map((input) => input.value))]));
    return [form];
  }
}

/** The line that shows why a change was refused. */
function problemLine(): HTMLElement {
  const line = element("p", "", "error");
  line.setAttribute("role", "alert");
  return line;
}

/** An input for a part of an entry. It may stay empty, because Redis allows empty values. */
function field(name: string): HTMLInputElement {
  const input = element("input");
  input.placeholder = name;
  input.setAttribute("aria-label", name);
  input.spellcheck = false;
  input.autocomplete = "off";
  return input;
}

/** A value as a tree or as text, with a button that opens an editor. */
function editable(value: Uint8Array, save?: (text: string) => Promise<void>): HTMLElement {
  const text = decoded(value);
  const tree = text === null ? undefined : parseTree(text);
  const view = tree ? jsonTree(tree) : element("pre", shown(value, "\r\n\t"));
  const whole = group("div", "editable", view);
  if (!save || text === null) return whole;
  const lineEnd = lineEndOf(text);
  if (lineEnd === null) {
    whole.append(element("p", "It can't be edited here, because its line ends differ.", "dim"));
    return whole;
  }
  const open = button("Edit", () => {
    const area = element("textarea");
    area.value = tree ? formatTree(tree, "  ") : text;
    const lines = area.value.split("\n").reduce((sum, line) => sum + Math.ceil((line.length + 1) / LINE), 0);
    area.rows = Math.min(MAX_ROWS, Math.max(2, lines));
    area.spellcheck = false;
    area.setAttribute("aria-label", "value");
    const close = () => whole.replaceChildren(view, open);
    // A text area has only \n.
    const edited = () => area.value.replaceAll("\n", lineEnd);
    const actions = group(
      "div",
      "actions",
      button("Save", () => save(tree && text === formatTree(tree) ? compact(area.value) : edited())),
      button("Cancel", close),
    );
    whole.replaceChildren(area, actions);
    area.focus();
  });
  whole.append(open);
  return whole;
}

/** Returns a JSON document without the white space that the editor added. Returns other text as it is. */
function compact(text: string): string {
  const tree = parseTree(text);
  return tree ? formatTree(tree) : text;
}

function pairsOf(reply: Reply | undefined): [Uint8Array, Uint8Array][] {
  const items = itemsOf(reply).map(bytesOf);
  return items.flatMap((item, at): [Uint8Array, Uint8Array][] =>
    at % 2 === 0 ? [[item, items[at + 1]!]] : [],
  );
}
