// Builds the packages that are not up to date: node scripts/build.mjs [PACKAGE...], --code [PACKAGE...] or --prune PACKAGE...
//
// `--code` leaves out declarations, which take nine tenths of the time and are only read by the compiler.
//
// A package is up to date if the hash of its inputs has not changed since the last build and every output exists. A build
// writes to a temporary folder, then moves the files into `dist`, chunks before entries. It deletes files of earlier builds, such as
// entries without a source, but no chunks: a process that was started from an earlier build may load them later. `--prune`, which
// `npm pack` runs, deletes old chunks too.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { shrinkMap } from "./shrink-map.mjs";
import { thirdPartyLicenses } from "./third-party-licenses.mjs";

const root = join(import.meta.dirname, "..");

/** The packages: their folders, and the packages whose sources are part of their output. */
const PACKAGES = {
  client: { folder: ".", needs: [] },
  gateway: { folder: "gateway", needs: [] },
  compat: { folder: "compat", needs: ["client"] },
  adapters: { folder: "adapters", needs: ["client"] },
  testbed: { folder: "testbed", needs: [] },
  bench: { folder: "bench", needs: ["client"] },
};

/** Inputs of every build, below the root, and inputs in a package's folder. */
const SHARED_INPUTS = ["package-lock.json", "tsconfig.base.json", "scripts"];
const OWN_INPUTS = ["src", "package.json", "tsup.config.ts"];

/** The record of a build, in `dist`: the hash of its inputs and the sizes of its outputs. */
const RECORD = ".build.json";

/** Names of chunks, which hold a hash of their content. Eight lower-case letters are a word, as in `cold-estimate.js`. */
const CHUNK = /-(?![a-z]{8}\.)[A-Za-z0-9_-]{8}\.[a-z.]+$/;

function filesIn(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function hashInputs(name) {
  const { folder, needs } = PACKAGES[name];
  const hash = createHash("sha256");
  const inputs = [...SHARED_INPUTS, ...OWN_INPUTS.map((input) => join(folder, input))];
  for (const input of inputs.map((path) => join(root, path))) {
    for (const file of statSync(input).isDirectory() ? filesIn(input) : [input]) {
      hash.update(`\0${file.slice(root.length)}\0`).update(readFileSync(file));
    }
  }
  for (const needed of needs) hash.update(hashInputs(needed));
  return hash.digest("hex");
}

function lastBuild(dist) {
  const record = join(dist, RECORD);
  return existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : { outputs: {} };
}

function isUpToDate(dist, inputs) {
  const last = lastBuild(dist);
  if (!last.types && !codeOnly) return false;
  const isThere = ([file, size]) => statSync(join(dist, file), { throwIfNoEntry: false })?.size === size;
  return last.inputs === inputs && Object.entries(last.outputs).every(isThere);
}

/** Runs tsup in a package's folder. Its messages go to stderr: the stdout of `npm pack --json` is JSON. */
function runTsup(folder, outDir) {
  const options = {
    cwd: folder,
    env: { ...process.env, WARMLINE_OUT_DIR: outDir, WARMLINE_CODE_ONLY: codeOnly ? "1" : "" },
    stdio: ["ignore", 2, 2],
  };
  const child = spawn(
    process.execPath,
    [join(root, "node_modules/tsup/dist/cli-default.js"), "--silent"],
    options,
  );
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`the build of ${folder} failed`))));
  });
}

async function build(name) {
  const folder = join(root, PACKAGES[name].folder);
  const dist = join(folder, "dist");
  const inputs = hashInputs(name);
  if (isUpToDate(dist, inputs)) return;
  // As deep as `dist`, since source maps have relative paths of their sources.
  const made = mkdtempSync(join(folder, ".dist-"));
  try {
    await runTsup(folder, made);
    const licenses = thirdPartyLicenses(folder, made);
    if (licenses) writeFileSync(join(made, "THIRD-PARTY-LICENSES.txt"), licenses);
    const files = filesIn(made).map((file) => file.slice(made.length + 1));
    for (const map of files.filter((file) => file.endsWith(".map"))) {
      const [json, code] = [map, map.slice(0, -".map".length)].map((file) =>
        readFileSync(join(made, file), "utf8"),
      );
      writeFileSync(join(made, map), shrinkMap(json, code));
    }
    for (const file of files.filter((name) => /\.d\.c?ts$/.test(name))) {
      // For size: tabs instead of blanks, and comments without separate first and last lines.
      const text = readFileSync(join(made, file), "utf8")
        .replace(/^(?: {4})+/gm, (blanks) => "\t".repeat(blanks.length / 4))
        .replace(/\/\*\*\n\s*\* /g, "/** ")
        .replace(/\n\s*\*\/$/gm, " */");
      writeFileSync(join(made, file), text);
    }
    const outputs = Object.fromEntries(files.map((file) => [file, statSync(join(made, file)).size]));
    rmSync(join(dist, RECORD), { force: true });
    for (const file of files.sort((a, b) => CHUNK.test(b) - CHUNK.test(a))) {
      mkdirSync(dirname(join(dist, file)), { recursive: true });
      renameSync(join(made, file), join(dist, file));
    }
    prune(dist, outputs, (file) => !CHUNK.test(file));
    writeFileSync(join(dist, RECORD), JSON.stringify({ inputs, outputs, types: !codeOnly }));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Deletes files in `dist` that are not outputs, if `mayDelete` returns true. */
function prune(dist, outputs, mayDelete = () => true) {
  for (const path of filesIn(dist)) {
    const file = path.slice(dist.length + 1);
    if (file !== RECORD && !Object.hasOwn(outputs, file) && mayDelete(file)) rmSync(path);
  }
}

function pruneAll(name) {
  const dist = join(root, PACKAGES[name].folder, "dist");
  prune(dist, lastBuild(dist).outputs);
}

const builds = new Map();
const codeOnly = process.argv.includes("--code");

/** Builds the packages that a package needs, then the package, each at most once. */
function ensureBuilt(name) {
  if (!Object.hasOwn(PACKAGES, name)) {
    throw new Error(`${name} is not a package: give ${Object.keys(PACKAGES).join(", ")}`);
  }
  if (!builds.has(name)) {
    builds.set(
      name,
      Promise.all(PACKAGES[name].needs.map(ensureBuilt)).then(() => build(name)),
    );
  }
  return builds.get(name);
}

const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const prunes = process.argv.includes("--prune");
try {
  if (prunes && names.length === 0) {
    throw new Error(`--prune needs a package: give ${Object.keys(PACKAGES).join(", ")}`);
  }
  await Promise.all((names.length > 0 ? names : Object.keys(PACKAGES)).map(ensureBuilt));
  if (prunes) for (const name of names) pruneAll(name);
} catch (error) {
  console.error(`build: ${error.message}`);
  process.exitCode = 1;
}
