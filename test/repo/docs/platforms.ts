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
  aws: awsProblem,
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
  gcloud: gcloudProblem,
  git: (args) =>
    problemWith("repository", args[0] === "clone" ? args.slice(1, 2) : [], (url) => url === REPOSITORY),
  helm: helmProblem,
  kubectl: kubectlProblem,
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

/** The parameters of a stack must be those of its template, and include each one without a default. */
function awsProblem(args: Args): string | null {
  const template = yaml("ecs.yaml");
  if (args[0] === "secretsmanager") {
    const names = Object.values<any>(template.Resources).map(({ Properties }) => Properties?.Name);
    return problemWith("secret", valuesOf("--secret-id", args), (name) => names.includes(name));
  }
  const from = args.indexOf("--parameter-overrides");
  const given = args
    .slice(from + 1)
    .filter((arg) => /^\w+=/.test(arg))
    .map((arg) => arg.split("=")[0]!);
  const parameters: Record<string, { Default?: unknown }> = template.Parameters;
  const missing = Object.keys(parameters).find(
    (name) => parameters[name]!.Default === undefined && !given.includes(name),
  );
  return (
    problemWith("parameter", given, (name) => Object.hasOwn(parameters, name)) ??
    (missing === undefined ? null : `the parameter '${missing}' is missing`)
  );
}

function gcloudProblem([group, action, name]: Args): string | null {
  if (group !== "secrets") return null;
  const { containers } = yaml("cloud-run.yaml").spec.template.spec;
  const secrets = containers[0].env.map(({ valueFrom }: any) => valueFrom?.secretKeyRef.name);
  return problemWith("secret", action === undefined ? [] : [name ?? ""], (each) => secrets.includes(each));
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

/** The keys of a Secret must be those that the chart mounts, or kubernetes.yaml, which needs all of its own. */
function kubectlProblem([action, kind, , name, ...args]: Args): string | null {
  if (action !== "create" || kind !== "secret") return null;
  const keys = ["--from-literal", "--from-file"]
    .flatMap((option) => valuesOf(option, args))
    .map((value) => value.split("=")[0]!);
  const byManifest = text("kubernetes.yaml").includes(`secretName: ${name} }`);
  const mounted = mountedIn(byManifest ? "kubernetes.yaml" : "helm/templates/_helpers.tpl");
  const needed = byManifest ? mounted : ["token"];
  return (
    problemWith("key", keys, (key) => mounted.includes(key)) ??
    problemWith("value for the key", needed, (key) => keys.includes(key))
  );
}

/** Returns the keys of a Secret that a configuration refers to by their mounted files. */
function mountedIn(path: string): string[] {
  return [...text(path).matchAll(/\/run\/secrets\/warmline\/([\w.-]+)/g)].map(([, key]) => key!);
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
