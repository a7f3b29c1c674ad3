import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EngineState } from "../../../gateway/src/engine/embedded/lua-state.js";
import { Saver } from "../../../gateway/src/engine/embedded/saver.js";
import { newFolder } from "../../support/new-folder.js";
import { TestClock } from "../../support/test-clock.js";

/**
 * Creates a saver with its own file. Returns functions that change its data and let time pass.
 * @param takes the time in ms that a snapshot takes.
 */
function start(takes = 0) {
  const folder = newFolder("saver");
  const file = join(folder, "embedded.snapshot");
  const clock = new TestClock();
  const failures: string[] = [];
  const state = new EngineState({ databaseCount: 16 });
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
    state.close();
  });
  const saver = new Saver({
    state,
    file,
    beat: () => clock.advance(takes),
    onSaved: (failure) => failure !== null && failures.push(failure),
    clock,
  });
  const change = (flags: readonly string[] = []) => {
    const plan = { definition: { name: "set" }, flags, keys: [Buffer.from("k")] };
    saver.policy.beforeExecute!(plan as never, undefined as never);
  };
  /** Moves the time on, and returns whether a snapshot was written. */
  const isWrittenAfter = async (ms: number) => {
    rmSync(file, { force: true });
    clock.advance(ms);
    // A snapshot waits for running commands, and starts the timer of the next one.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return existsSync(file);
  };
  return { folder, failures, change, isWrittenAfter };
}

test("a snapshot is written every 10 s while data changes, once more after that, and then no longer", async () => {
  const { change, isWrittenAfter } = start();
  expect(await isWrittenAfter(10_000)).toBe(false);
  change(["readonly"]);
  expect(await isWrittenAfter(10_000)).toBe(false);
  change();
  expect(await isWrittenAfter(9_999)).toBe(false);
  expect(await isWrittenAfter(1)).toBe(true);
  // A command may have been counted before its change was made.
  expect(await isWrittenAfter(10_000)).toBe(true);
  expect(await isWrittenAfter(10_000)).toBe(false);
});

test("slow snapshots are written less often, and take a twentieth of the time", async () => {
  const { change, isWrittenAfter } = start(1_000);
  change();
  expect(await isWrittenAfter(10_000)).toBe(true);
  expect(await isWrittenAfter(19_999)).toBe(false);
  expect(await isWrittenAfter(1)).toBe(true);
});

test("a snapshot that could not be written is reported, and tried again 10 s later", async () => {
  const { folder, failures, change, isWrittenAfter } = start();
  change();
  rmSync(folder, { recursive: true });
  expect(await isWrittenAfter(10_000)).toBe(false);
  expect(failures).toEqual(["ENOENT"]);
  mkdirSync(folder);
  expect(await isWrittenAfter(10_000)).toBe(true);
});
