import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Progress } from "../../../bench/src/util/progress.js";

beforeEach(() => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
afterEach(() => vi.useRealTimers());

/** Returns a progress, and what it has written since the last call. */
function start(isTTY = false) {
  const lines: string[] = [];
  const stream = { isTTY, columns: 80, write: (text: string) => lines.push(text) };
  return { progress: new Progress(stream as never, "idle"), written: () => lines.splice(0) };
}

test("a step that lasts for minutes prints the elapsed and the remaining time every 30 s", () => {
  const { progress, written } = start();
  progress.expect(300);
  progress.step(0, 4, "agent, get after 300 s frozen");
  expect(written()).toEqual(["idle: 0%, 0 s, about 300 s left (agent, get after 300 s frozen)\n"]);
  vi.advanceTimersByTime(90_000);
  expect(written()).toEqual([
    "idle: 0%, 30 s, about 270 s left (agent, get after 300 s frozen)\n",
    "idle: 0%, 60 s, about 240 s left (agent, get after 300 s frozen)\n",
    "idle: 0%, 90 s, about 210 s left (agent, get after 300 s frozen)\n",
  ]);
  progress.end();
  vi.advanceTimersByTime(90_000);
  expect(written()).toEqual([]);
});

test("quick steps print a line every 5 s at most, and all of them on a terminal", () => {
  const step = ({ progress, written }: ReturnType<typeof start>) => {
    for (let done = 0; done < 12; done++) {
      progress.step(done, 12, `case ${done}`);
      vi.advanceTimersByTime(1_000);
    }
    progress.end();
    return written();
  };
  expect(step(start()).map((line) => /case \d+/.exec(line)![0])).toEqual(["case 0", "case 5", "case 10"]);
  const terminal = step(start(true));
  for (let done = 0; done < 12; done++) expect(terminal.join("")).toContain(`(case ${done})`);
  expect(terminal.at(-1)).toBe("\r\u001b[K");
});
