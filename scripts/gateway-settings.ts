import { flags } from "../gateway/src/settings/flags.js";

const BEGIN = "<!-- settings -->\n";
const END = "<!-- /settings -->";

/** Returns the page with the current table of the gateway's settings. */
export function withSettings(page: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error("the page has no place for the table");
  return page.slice(0, from + BEGIN.length) + settingsTable() + page.slice(to);
}

function settingsTable(): string {
  const rows = flags.map(({ name, placeholder, variable, option, help, range }) => {
    const description = help.replace(/[<>|]/g, (sign) => `\\${sign}`);
    const flag = `--${name} ${placeholder}`.trim();
    return `| \`${flag}\` | \`${variable}\` | \`${option}\` | ${description} | ${range} |`;
  });
  return [
    "",
    "| flag | environment | in the file | what it sets | range |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    "",
  ].join("\n");
}
