import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { clients, scenarios } from "../../../bench/src/registry.js";
import { parse as parseBench } from "../../../bench/src/runner/command-line.js";
import { readSettings } from "../../../gateway/src/cli/settings.js";
import { type Block, root } from "./pages.js";
import { platformProblem } from "./platforms.js";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const OURS = ["warmline", "warmline-gateway", "warmline-upstash", "warmline-adapters"];
/** Packages that pages may install besides the devDependencies. */
const OTHERS = ["@upstash/ratelimit", "bullmq", "ioredis", "redis"];
const bench = [await scenarios(), await clients()] as const;
const known = new Set([...OURS, ...OTHERS, ...Object.keys(manifest.devDependencies)]);

/** The commands of a shell block: one per line, continued by a backslash, without comments. */
export function commandsOf({ code }: Block): string[] {
  return code
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .flatMap((line) => line.replace(/(^|\s)#.*$/, "").split(/\s&&\s|;\s/))
    .map((command) => command.trim())
    .filter((command) => command !== "");
}

/**
 * Returns the problem of a command on a page, or null. Commands that a test can run are run elsewhere
 * (`test/packages/gateway-commands.test.ts`, the suites of packages and examples); here names are compared with the repository's files.
 */
export function problemOf(command: string): string | null {
  return (
    command
      .split(" | ")
      .map(problemOfProgram)
      .find((problem) => problem !== null) ?? null
  );
}

/** Returns the problem of one program of a pipeline, or null. */
function problemOfProgram(command: string): string | null {
  const [program = "", ...args] = splitWords(command).filter((word, at, all) => !isAssignment(word, at, all));
  const onPlatform = platformProblem(program, args);
  if (onPlatform !== undefined) return onPlatform;
  switch (program) {
    case "npm":
      return npmProblem(args);
    case "npx":
      return npxProblem(args);
    case "warmline-gateway":
    case `warmline-gateway-${manifest.version}-linux-x64/bin/warmline-gateway`:
      return gatewayProblem(args);
    case "deno":
    case "bun":
      return packagesProblem(args[0] === "add" ? args.slice(1) : []);
    case "cd":
      return null;
    case ".ci/run":
    case "bench/aws/deploy.sh":
      return existsSync(join(root, program)) ? null : `there is no ${program}`;
    default:
      return RUN_ELSEWHERE.has(program) ? null : `nothing here knows the program '${program}'`;
  }
}

/** Programs that pages may call, and that have nothing of this repository in their arguments. */
const RUN_ELSEWHERE = new Set("export redis-cli openssl kill sam zip vercel netlify printf jq".split(" "));

function npmProblem([action, ...args]: readonly string[]): string | null {
  if (action === "ci" || (action === "install" && args.length === 0) || action === "i") return null;
  if (action === "install") return packagesProblem(args);
  if (action === "start" || action === "test")
    return action in manifest.scripts ? null : `no script ${action}`;
  if (action === "audit") return null;
  if (action === "run") {
    const name = args.find((arg) => !arg.startsWith("-")) ?? "";
    if (name === "bench") return benchProblem(args.slice(args.indexOf("--") + 1));
    const ofReader = ["dev", "build", "deploy"];
    return name in manifest.scripts || ofReader.includes(name) ? null : `there is no script '${name}'`;
  }
  return `npm ${action} is not looked at`;
}

function packagesProblem(args: readonly string[]): string | null {
  const names = args
    .filter((arg) => !arg.startsWith("-"))
    .map((arg) => arg.replace(/^npm:/, "").replace(/(?<=.)@[\w.^~-]+$/, ""));
  const stranger = names.find((name) => !known.has(name));
  return stranger === undefined ? null : `nothing here knows the package '${stranger}'`;
}

function npxProblem([name, ...args]: readonly string[]): string | null {
  if (name === "warmline-gateway") return gatewayProblem(args);
  if (name === "vitest") {
    const path = args.find((arg) => arg.startsWith("test/"));
    return path && existsSync(join(root, path)) ? null : `there is no ${path}`;
  }
  return ["wrangler", "biome", "skills"].includes(name ?? "") ? null : `nothing here knows 'npx ${name}'`;
}

/** Held against the bench's own command line: its scenarios, clients and options. */
function benchProblem(args: readonly string[]): string | null {
  try {
    parseBench(args, ...bench);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Held against the command line itself, so that every flag shown is one that there is. */
function gatewayProblem(args: readonly string[]): string | null {
  try {
    // The contents of files are the reader's; only their names are checked.
    readSettings(
      args
        .map((word, at) => (args[at - 1] === PASSWORD_FILE ? join(root, "LICENSE") : word))
        .filter((_, at) => !isFileFlag(args[at]) && !isFileFlag(args[at - 1])),
      {},
    );
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A URL without a password needs this file. */
const PASSWORD_FILE = "--redis-password-file";

function isFileFlag(word: string | undefined): boolean {
  if (word === undefined || word === PASSWORD_FILE) return false;
  return word.endsWith("-file") || ["--config", "--redis-ca", "--redis-cert", "--redis-key"].includes(word);
}

function isAssignment(word: string, at: number, all: readonly string[]): boolean {
  return /^[A-Z_]+=/.test(word) && all.slice(0, at).every((before) => /^[A-Z_]+=/.test(before));
}

function splitWords(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(([, a, b, c]) => a ?? b ?? c!);
}
