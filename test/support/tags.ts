import type { TestTagDefinition } from "vitest/config";
import { findProgram, findRedisServer } from "../../testbed/src/redis/find.js";
import { isFullRun } from "./random-tests.js";

/** Something that tests may need besides Node. Its name is the tag of these tests. */
interface Need {
  readonly name: string;
  /** The end of the sentence "These tests need ...". */
  readonly need: string;
  /** Whether this machine has it; undefined if only the set-up of its suite finds out, and its tests skip themselves. */
  readonly isFound?: boolean;
}

const RIC_TOOLS = ["autoconf", "automake", "libtoolize", "cmake", "g++", "make", "python3"];

/** Chromium, or the program of the variable CHROMIUM. Undefined where there is none. */
export const chromiumProgram = findProgram(
  ...(process.env.CHROMIUM ? [process.env.CHROMIUM] : []),
  ...["chromium", "chromium-browser", "google-chrome"],
);

const isLinux = process.platform === "linux";

const needs: readonly Need[] = [
  {
    name: "redis-server",
    need: "redis-server or valkey-server on PATH",
    isFound: findRedisServer() !== undefined,
  },
  {
    name: "chromium",
    need: "Chromium on PATH, or its path in CHROMIUM",
    isFound: chromiumProgram !== undefined,
  },
  {
    name: "webdis",
    need: "webdis on PATH",
    isFound: findProgram("webdis") !== undefined,
  },
  {
    name: "lambda-ric",
    need: `programs that build aws-lambda-ric: ${RIC_TOOLS.join(", ")}`,
    isFound: RIC_TOOLS.every((tool) => findProgram(tool) !== undefined),
  },
  {
    name: "full-run",
    need: "TEST_RUNS of 0.3 or more, as in .ci/run",
    isFound: isFullRun,
  },
  { name: "linux", need: "Linux", isFound: isLinux },
  { name: "linux-x64", need: "Linux on x86-64", isFound: isLinux && process.arch === "x64" },
  // Their set-ups print why they could not be installed.
  { name: "servers", need: "Redis 8.2, modules of Redis Stack and Valkey 9.1 from PyPI" },
  { name: "deploy-tools", need: "linters from PyPI" },
];

/** Returns a tag for each need. Tests with the tag of a need that is not found are skipped. */
export const createTags = (): TestTagDefinition[] => [
  ...needs.map(({ name, need, isFound }) => ({
    name,
    description: `need ${need}`,
    ...(isFound !== undefined && { skip: !isFound }),
  })),
  // `.ci/run` runs these tests again after `npm test`, with more inputs.
  { name: "random", description: "take random inputs", skip: false },
];
