import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { freePorts, until } from "warmline-testbed";
import { built } from "../client/bench-client.js";
import type { Defer } from "../rig/rig.js";
import { within } from "../util/promises.js";

/** The application: a Next.js project with a lock file of its own. */
const FOLDER = built("../outage/");
const NEXT = join(FOLDER, "node_modules/next/dist/bin/next");
/** The longest time in ms for the application to start. */
const START_MS = 60_000;

/** Returns the versions of the packages that the application installs. */
export const packageVersions = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8")).dependencies;

/** Installs and builds the application, unless both are done. Returns what is missing, as "needs ...", or undefined. */
export function applicationMissing(): string | undefined {
  if (isOutdated("node_modules/.package-lock.json", ["package-lock.json"])) {
    try {
      run("Installing Next.js", "npm", "ci", "--ignore-scripts", "--loglevel=error", "--no-audit");
    } catch {
      return "needs the packages of bench/outage, which npm could not install";
    }
  }
  const pages = readdirSync(join(FOLDER, "app"), { recursive: true }).map((name) => `app/${name}`);
  if (isOutdated(".next/BUILD_ID", ["package-lock.json", "next.config.mjs", ...pages]))
    run("Building the application", process.execPath, NEXT, "build");
  return undefined;
}

/** Whether a file of the application is missing, or is older than one of its sources. */
function isOutdated(file: string, sources: readonly string[]): boolean {
  const changedAt = (name: string) => statSync(join(FOLDER, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.some((source) => changedAt(source) > changedAt(file));
}

/** Runs a program in the folder of the application. What it prints goes to stderr. @throws if it fails */
function run(what: string, program: string, ...args: string[]): void {
  process.stderr.write(`${what} in bench/outage, once.\n`);
  // `npm run` passes its option --workspace on in this variable.
  const npm = { npm_config_workspace: undefined };
  const env = { ...process.env, ...npm, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  execFileSync(program, args, { cwd: FOLDER, env, stdio: ["ignore", 2, 2] });
}

/** Ends the application with this process, even by SIGKILL: the channel between them closes then. */
const LEASH = "data:text/javascript,process.on('disconnect',()=>process.exit());process.channel.unref()";

/** Starts the application with a cache handler, and waits until it serves the page from its cache. Returns its port. */
export async function startApplication(
  handler: string,
  env: Readonly<Record<string, string>>,
  defer: Defer,
): Promise<number> {
  const [port] = (await freePorts(1)) as [number];
  const args = ["--import", LEASH, NEXT, "start", "--port", `${port}`, "--hostname", "127.0.0.1"];
  const child = spawn(process.execPath, args, {
    cwd: FOLDER,
    env: { ...process.env, ...env, CACHE_HANDLER: handler, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  defer(() => child.kill("SIGKILL") && exited);
  let printed = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    printed = (printed + text).slice(-2_000);
  });
  const isCached = async () => (await visit(port, START_MS)).cached;
  await until(isCached, "", { timeoutMs: START_MS, pauseMs: 50 }).catch(() => {
    throw new Error(`The application with the cache handler ${handler} cached no page:\n${printed}`);
  });
  // Other pages, so that it renders as fast as one that has run for a while.
  for (let number = 0; number < 10; number++) await visit(port, START_MS, `page-${number}`);
  return port;
}

/** Requests a page. Returns whether it came within `limitMs`, and whether it came from the cache. */
export async function visit(port: number, limitMs: number, name = "page") {
  const read = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/${name}`);
    const page = (await response.text()).includes("Product 99") && response.ok;
    return { page, cached: page && response.headers.get("x-nextjs-cache") === "HIT" };
  };
  return within(limitMs, "The page", read()).catch(() => ({ page: false, cached: false }));
}
