import { element, group } from "./dom.js";

/** Entries of one object or array that are shown. */
const MAX_ENTRIES = 500;
/** Levels that are open at first. */
const OPEN_LEVELS = 2;

/** A number as written in the text, since a parsed one may lose digits. */
class Digits {
  constructor(readonly text: string) {}
}

/** Returns an object or array that the text holds as JSON. Returns undefined for other text. */
export function parseTree(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const keepDigits = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && context?.source !== undefined ? new Digits(context.source) : value;
  try {
    return JSON.parse(text, keepDigits) as object;
  } catch {
    return undefined;
  }
}

/**
 * Formats a parsed document, with every number as it stood in the text.
 * @param step the white space of one level. Default: none, for a document on one line
 */
export function formatTree(value: unknown, step = "", indent = ""): string {
  if (value instanceof Digits) return value.text;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const [left, right] = Array.isArray(value) ? "[]" : "{}";
  const inner = indent + step;
  const entries = Object.entries(value).map(([key, each]) => {
    const text = formatTree(each, step, inner);
    return Array.isArray(value) ? text : `${JSON.stringify(key)}:${step === "" ? "" : " "}${text}`;
  });
  if (entries.length === 0 || step === "") return `${left}${entries.join(",")}${right}`;
  return `${left}\n${inner}${entries.join(`,\n${inner}`)}\n${indent}${right}`;
}

/** Makes a tree of a parsed document, whose objects and arrays open and close. */
export function jsonTree(value: unknown, name?: string, level = 0): HTMLElement {
  const label = name === undefined ? [] : [element("span", name, "field"), ": "];
  if (value === null || typeof value !== "object" || value instanceof Digits) {
    return group("div", "leaf", ...label, scalar(value));
  }
  const entries = Object.entries(value);
  const [left, right] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) return group("div", "leaf", ...label, `${left}${right}`);
  const details = element("details", "", "tree");
  details.open = level < OPEN_LEVELS;
  const size = `${entries.length} ${entries.length === 1 ? "entry" : "entries"}`;
  details.append(group("summary", "", ...label, `${left} `, element("span", size, "dim"), ` ${right}`));
  const inside = entries.slice(0, MAX_ENTRIES).map(([key, each]) => jsonTree(each, key, level + 1));
  const more = entries.length - inside.length;
  if (more > 0) inside.push(element("div", `${more} more`, "dim leaf"));
  details.append(group("div", "inside", ...inside));
  return details;
}

function scalar(value: unknown): HTMLElement {
  if (value instanceof Digits) return element("span", value.text, "number");
  if (typeof value === "string") return element("span", JSON.stringify(value), "string");
  return element("span", String(value), typeof value === "number" ? "number" : "literal");
}
