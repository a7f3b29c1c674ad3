/** Text as it may stand in HTML and SVG. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** One element: attributes that are undefined are left out, numbers are cut to two decimals. */
export function tag(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  ...content: string[]
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        ` ${key}="${typeof value === "number" ? Number(value.toFixed(2)) : escapeHtml(value!)}"`,
    )
    .join("");
  return `<${name}${written}>${content.join("")}</${name}>`;
}

/** A picture that a screen reader reads as `label`; it scales with its column. */
export function picture(width: number, height: number, label: string, ...content: string[]): string {
  return tag("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...content);
}

/** A text in a picture. */
export function textAt(
  x: number,
  y: number,
  text: string,
  attributes: Record<string, string | number> = {},
): string {
  return tag("text", { x, y, ...attributes }, escapeHtml(text));
}
