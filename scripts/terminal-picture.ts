import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

// docs/terminal.svg shows a run of README's first example.
// `npm run test:repo -- test/repo/project/terminal-picture.test.ts -u` draws it.

const root = resolve(import.meta.dirname, "..");
export const picture = join(root, "docs/terminal.svg");

const COMMAND = "npx warmline-gateway -- node app.mjs";

const LINE = 22;
const WIDTH = 760;
const TOP = 56;

/** Runs README's first example behind the gateway and its engine. Returns the lines printed, without secrets. */
export async function record(): Promise<string[]> {
  const [, program] = /```js\n(.*?)```/s.exec(readFileSync(join(root, "README.md"), "utf8"))!;
  // Inside the repository, where the program finds the package.
  const folder = mkdtempSync(join(root, "node_modules/.terminal-"));
  const home = mkdtempSync(join(tmpdir(), "terminal-"));
  try {
    writeFileSync(join(folder, "app.mjs"), program!);
    const cli = join(root, "gateway/dist/cli.js");
    const env = { PATH: dirname(process.execPath), HOME: home };
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [cli, "--port", "0", "--engine", "embedded", "--", "node", "app.mjs"],
      { cwd: folder, env, timeout: 60_000 },
    );
    return [`$ ${COMMAND}`, ...stderr.trim().split("\n"), "", ...stdout.trim().split("\n")].map((line) =>
      line
        .replace(/(127\.0\.0\.1):\d+/, "$1:8079")
        .replace(home, "~")
        .replace(/(#|_TOKEN=)[\w-]{20,}/, "$1…"),
    );
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(home, { recursive: true });
  }
}

/** Draws lines as a terminal, in light and dark. */
export function draw(lines: readonly string[]): string {
  const height = TOP + lines.length * LINE + 8;
  const text = lines.map((line, at) => {
    const kind = line.startsWith("$ ") ? "typed" : at === lines.length - 1 ? "result" : "said";
    return `  <text class="${kind}" x="20" y="${TOP + at * LINE}" xml:space="preserve">${escaped(line)}</text>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
  <title id="title">${escaped(COMMAND)} starts a Redis of its own, runs the program with its address in the environment, and prints the program's result</title>
  <style>
    .window { fill: #f6f8fa; stroke: #d0d7de; }
    .dot { fill: #c4cad1; }
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #57606a; }
    .typed, .result { fill: #1b1f24; font-weight: 600; }
    @media (prefers-color-scheme: dark) {
      .window { fill: #16181d; stroke: #3a3f47; }
      .dot { fill: #4a505a; }
      text { fill: #a8b0b9; }
      .typed, .result { fill: #e6e9ed; }
    }
  </style>
  <rect class="window" x="1" y="1" width="${WIDTH - 2}" height="${height - 2}" rx="8"/>
${[20, 38, 56].map((x) => `  <circle class="dot" cx="${x}" cy="20" r="5"/>\n`).join("")}${text.join("")}</svg>
`;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
