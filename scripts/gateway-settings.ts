import { environmentName, flags } from "../gateway/src/cli/flags.js";

const BEGIN = "<!-- settings -->\n";
const END = "<!-- /settings -->";

/** The page with its table of the gateway's settings as they are now. */
export function withSettings(page: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error("the page has no place for the table");
  return page.slice(0, from + BEGIN.length) + settingsTable() + page.slice(to);
}

function settingsTable(): string {
  const rows = flags.map(({ name, value, option, help }) => {
    const what = help.replace(/[<>|]/g, (sign) => `\\${sign}`);
    return `| \`--${`${name} ${value}`.trim()}\` | \`${environmentName(name)}\` | \`${option}\` | ${what} |`;
  });
  return [
    "",
    "| flag | environment | in the file | what it sets |",
    "|---|---|---|---|",
    ...rows,
    "",
    "",
  ].join("\n");
}
