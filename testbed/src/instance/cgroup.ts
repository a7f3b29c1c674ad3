import { mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** The cgroup that this process is in, as a folder, in the hierarchy of version 1 that has a controller, or in that of version 2. */
function ownCgroup(version: "v1" | "v2", controller: "freezer" | "cpu"): string | undefined {
  try {
    const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
    const mount = mounts
      .map((line) => line.split(" "))
      .find(([, , type, options]) =>
        version === "v2" ? type === "cgroup2" : type === "cgroup" && options?.split(",").includes(controller),
      )?.[1];
    const path = readFileSync("/proc/self/cgroup", "utf8")
      .split("\n")
      .map((line) => line.split(":"))
      .find(([, controllers]) =>
        version === "v2" ? controllers === "" : controllers?.split(",").includes(controller),
      )?.[2];
    return mount && path ? join(mount, path) : undefined;
  } catch {
    return undefined;
  }
}

/** Creates a cgroup within this process's own, and sets it up. Returns its folder; undefined if this process may not. */
export function createCgroup(
  version: "v1" | "v2",
  controller: "freezer" | "cpu",
  name: string,
  setUp: (folder: string) => void,
): string | undefined {
  const parent = ownCgroup(version, controller);
  if (!parent) return undefined;
  const folder = join(parent, name);
  try {
    mkdirSync(folder);
  } catch {
    return undefined;
  }
  try {
    setUp(folder);
    return folder;
  } catch {
    removeCgroup(folder);
    return undefined;
  }
}

/** Removes an empty cgroup; returns whether it is gone. */
export function removeCgroup(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** Waits until a check holds. @throws after ten seconds, with the problem as message */
export async function until(check: () => boolean, problem: string): Promise<void> {
  const end = performance.now() + 10_000;
  while (!check()) {
    if (performance.now() > end) throw new Error(problem);
    await pause(1);
  }
}
