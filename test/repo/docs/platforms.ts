import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { flags } from "../../../gateway/src/settings/flags.js";
import { root } from "./pages.js";

// Commands for platforms can't run here: they need an account, a cluster or Docker. What they name of this repository has to exist.

type Args = readonly string[];

const text = (path: string) => readFileSync(join(root, "gateway/deploy", path), "utf8");
/** A file without its tags, which only CloudFormation resolves. */
const yaml = (path: string) => parse(text(path), { logLevel: "silent" });

const { version } = JSON.parse(readFileSync(join(root, "gateway/package.json"), "utf8"));
const IMAGE = "ghcr.io/warmline/warmline-gateway";
const CHART = `oci://ghcr.io/warmline/charts/${yaml("helm/Chart.yaml").name}`;
const REPOSITORY = "https://github.com/warmline/warmline";

const CHECKS: Record<string, (args: Args) => string | null> = {
  aws: () => null,
  cp: (args) =>
    problemWith(
      "file of the package",
      args.filter((arg) => arg.startsWith("node_modules/warmline/")),
      (path) => existsSync(join(root, path.replace("node_modules/warmline/", ""))),
    ),
  curl: downloadProblem,
  docker: (args) =>
    problemWith(
      "image",
      args.filter((arg) => arg.startsWith("ghcr.io/warmline/")),
      (name) => name === IMAGE || name === `${IMAGE}:${version}`,
    ),
  fly: () => null,
  gcloud: () => null,
  git: (args) =>
    problemWith("repository", args[0] === "clone" ? args.slice(1, 2) : [], (url) => url === REPOSITORY),
  helm: helmProblem,
  kubectl: () => null,
  tar: (args) => problemWith("archive", args.slice(1), isArchive),
};

/**
 * Returns the problem of a command, or null. Undefined for a program that no platform has.
 * Files, settings and names of this repository must exist; all else is the platform's to check.
 */
export function platformProblem(program: string, args: Args): string | null | undefined {
  const check = CHECKS[program];
  if (check === undefined) return undefined;
  return (
    problemWith("file", filesIn(args), (path) => existsSync(join(root, path))) ??
    problemWith("setting", variablesIn(args), (name) => flags.some(({ variable }) => variable === name)) ??
    check(args)
  );
}

/** Returns a message about the first name that is not `known`, or null. */
function problemWith(kind: string, names: Args, known: (name: string) => boolean): string | null {
  const wrong = names.find((name) => !known(name));
  return wrong === undefined ? null : `there is no ${kind} '${wrong}'`;
}

/** Returns the values of an option, written `--option value` or `--option=value`. */
function valuesOf(option: string, args: Args): string[] {
  return args.flatMap((arg, at) => {
    if (arg === option) return args.slice(at + 1, at + 2);
    return arg.startsWith(`${option}=`) ? [arg.slice(option.length + 1)] : [];
  });
}

/** Returns the files that a command deploys. */
function filesIn(args: Args): string[] {
  const options = ["-f", "--file", "--config", "--template-file"];
  const others = args.filter((arg) => /^[\w./-]+\.(?:ya?ml|toml|json)$/.test(arg) && !arg.startsWith("-"));
  return [...options.flatMap((option) => valuesOf(option, args)), ...others];
}

function variablesIn(args: Args): string[] {
  return args.flatMap((arg) => /^WARMLINE_GATEWAY_\w+(?==)/.exec(arg) ?? []);
}

function helmProblem(args: Args): string | null {
  const charts = args.filter((arg) => arg.startsWith("oci:"));
  return (
    problemWith("chart", charts, (name) => name === CHART) ?? problemWith("value", keysSet(args), isValue)
  );
}

function keysSet(args: Args): string[] {
  return valuesOf("--set", args).map((assignment) => assignment.split("=")[0]!);
}

/** Whether the chart's schema has a value of this name. */
function isValue(key: string): boolean {
  const [first, ...rest] = key.split(".") as [string, ...string[]];
  let schema = JSON.parse(text("helm/values.schema.json"));
  if (first === "settings") {
    const setByChart = /\$name := list(.*)/.exec(text("helm/templates/_helpers.tpl"))![1]!;
    return flags.some(({ option }) => option === rest[0] && !setByChart.includes(`"${option}"`));
  }
  for (const part of [first, ...rest]) schema = schema?.properties?.[part];
  return schema !== undefined;
}

/** Whether a release has an archive of this name. */
function isArchive(file: string): boolean {
  const platforms = readFileSync(join(root, "scripts/release/archive.mjs"), "utf8").matchAll(
    /^ {2}"([\w-]+)": "node-/gm,
  );
  return [...platforms].some(([, platform]) => file === `warmline-gateway-${version}-${platform}.tar.gz`);
}

/** Commands to the gateway's own address are run by `shell.test.ts`; others download a file of the release. */
function downloadProblem(args: Args): string | null {
  const release = `${REPOSITORY}/releases/download/v${version}/`;
  return problemWith(
    "download",
    args.filter((arg) => arg.startsWith("https:")),
    (url) => url.startsWith(release) && isArchive(url.slice(release.length)),
  );
}
