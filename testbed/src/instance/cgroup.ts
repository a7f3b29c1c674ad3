import { mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";

/** Returns the folder of this process's cgroup, in the hierarchy of version 2 or in the controller's hierarchy of version 1. */
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

/** Creates and sets up a cgroup below this process's cgroup. Returns its folder, or undefined if this is not permitted. */
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

/** Removes an empty cgroup. Returns whether it no longer exists. */
export function removeCgroup(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
