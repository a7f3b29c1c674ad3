/** Text as it may stand in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** One element; attributes that are undefined are left out. */
export function tag(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  ...content: string[]
): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeHtml(value)}"`],
  );
  return `<${name}${written.join("")}>${content.join("")}</${name}>`;
}

/** A list with one escaped text per item. */
export const list = (className: string, items: readonly string[]): string =>
  tag("ul", { class: className }, ...items.map((item) => tag("li", {}, escapeHtml(item))));

/** A table that scrolls sideways: the cells of its head, and its rows. */
export const scrollingTable = (
  className: string | undefined,
  head: readonly string[],
  rows: readonly string[],
): string =>
  tag(
    "div",
    { class: "scroll" },
    tag("table", { class: className }, tag("thead", {}, tag("tr", {}, ...head)), tag("tbody", {}, ...rows)),
  );
