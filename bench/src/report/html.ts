export class Html {
  constructor(readonly text: string) {}
}

type Content = string | number | Html | false | undefined | readonly Content[];

/** A template of HTML. Texts in it are escaped, HTML is not; what is false or undefined is left out. */
export const html = (parts: TemplateStringsArray, ...contents: readonly Content[]): Html =>
  new Html(String.raw({ raw: parts }, ...contents.map(textOf)));

function textOf(content: Content): string {
  if (content === undefined || content === false) return "";
  if (content instanceof Html) return content.text;
  if (typeof content === "object") return content.map(textOf).join("");
  return String(content).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The attribute `class`; nothing without a name. */
export const classed = (name: string | undefined) => name !== undefined && html` class="${name}"`;

export const list = (className: string, items: readonly string[]): Html =>
  html`<ul class="${className}">${items.map((item) => html`<li>${item}</li>`)}</ul>`;

/** A table that scrolls sideways: the cells of its head, and its rows. */
export const scrollingTable = (className: string | undefined, head: Content, rows: Content): Html =>
  html`<div class="scroll"><table${classed(className)}><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
