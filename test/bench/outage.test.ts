import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { built } from "../../bench/src/client/bench-client.js";
import { ARMS, measureOutage, startArm } from "../../bench/src/outage/arms.js";
import type { NetworkFault } from "../../bench/src/outage/relay.js";
import { resultPage } from "../../bench/src/report/page.js";
import { runScenario } from "../../bench/src/runner/run-scenario.js";
import outage from "../../bench/src/scenarios/outage.js";
import { Progress } from "../../bench/src/util/progress.js";

const stops: (() => unknown)[] = [];
const defer = (stop: () => unknown) => void stops.unshift(stop);
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Opens a connection and sends a letter. Returns it, with what has happened to it so far. */
function send(port: number, letter: string) {
  const events: string[] = [];
  const socket = connect(port, "127.0.0.1", () => events.push("open"));
  socket.on("data", (bytes) => events.push(String(bytes)));
  socket.on("error", (error: NodeJS.ErrnoException) => events.push(error.code!));
  socket.write(letter);
  defer(() => socket.destroy());
  return { events, socket };
}

/** What happens to an old connection that sends a second letter, and to a new one: during the fault and after it. */
const FAULTS: Readonly<Record<NetworkFault["kind"], readonly [during: string[][], after: string[][]]>> = {
  refused: [
    [["open", "a", "ECONNRESET"], ["ECONNREFUSED"]],
    [["open", "a", "ECONNRESET"], ["ECONNREFUSED"]],
  ],
  vanish: [
    [["open", "a"], []],
    [
      ["open", "a", "b"],
      ["open", "c"],
    ],
  ],
  halfOpen: [
    [
      ["open", "a"],
      ["open", "c"],
    ],
    [
      ["open", "a"],
      ["open", "c"],
    ],
  ],
};

test.each(Object.keys(FAULTS) as NetworkFault["kind"][])("the network applies %s", async (kind) => {
  const echo = createServer((socket) => socket.pipe(socket).on("error", () => {})).listen(0, "127.0.0.1");
  defer(() => echo.close());
  await once(echo, "listening");
  const network = new Worker(built("outage/relay.js"), { workerData: (echo.address() as AddressInfo).port });
  defer(() => network.terminate());
  const [port] = await once(network, "message");
  const old = send(port, "a");
  await expect.poll(() => old.events).toEqual(["open", "a"]);
  network.postMessage({ kind, ms: 3_000 } satisfies NetworkFault);
  await once(network, "message");
  await pause(100);
  old.socket.write("b");
  const fresh = send(port, "c");
  await pause(500);
  const [during, after] = FAULTS[kind];
  await expect.poll(() => [old.events, fresh.events]).toEqual(during);
  await expect.poll(() => [old.events, fresh.events]).toEqual(after);
  const whenLater = async () => {
    const later = send(port, "d");
    await pause(100);
    return later.events;
  };
  await expect.poll(whenLater).toEqual(["open", "d"]);
});

test("warmline's cache handler serves every page while packets vanish, and Next.js' example hangs over a half-open connection", {
  tags: ["redis-server", "linux"],
  timeout: 300_000,
}, async ({ skip }) => {
  // In a process of its own: it installs and builds the application, and nothing else runs meanwhile.
  const print = "import(process.argv[1]).then((own) => console.log(own.default.missing() ?? ''))";
  const asked = await promisify(execFile)(process.execPath, ["-e", print, built("scenarios/outage.js")]);
  const missing = asked.stdout.trim();
  skip(missing !== "", missing);
  const [arm, , example] = ARMS as [(typeof ARMS)[0], unknown, (typeof ARMS)[0]];
  const [own, other] = await Promise.all([
    startArm(arm, defer).then((started) => measureOutage(started, { kind: "vanish", ms: 1_500 }, 8_000)),
    startArm(example, defer).then((started) => measureOutage(started, { kind: "halfOpen", ms: 1_000 }, 0)),
  ]);
  expect(own).toMatchObject({ failed: 0, late: 0 });
  expect(own.pagesS).toHaveLength(3);
  expect(other).toMatchObject({ failed: 2, cached: 0, late: 1, pagesS: [10, 10] });

  // The report of a run in which all handlers did the same.
  const settings = {
    quick: false,
    rttMs: 0,
    rtts: undefined,
    tls: false,
    seed: 1,
    invocations: 1,
    rounds: 5,
  };
  const { outcome } = await runScenario(
    { ...outage, run: async () => own },
    { ...settings, seconds: 1.5, sizes: undefined },
    [],
    new Progress({ write: () => true, isTTY: false } as never, "outage"),
  );
  expect(outcome.table.rows.map(({ cells }) => cells[1])).toEqual(
    Array(3)
      .fill(ARMS)
      .flat()
      .map(({ arm }) => arm),
  );
  expect(outcome.checks).toMatchObject([{ verdict: "yes" }]);
  const machine = { cpu: "", cores: 2, memoryGb: 1, system: "", load: 0, node: "v20", runtime: "own" };
  const page = resultPage({
    ...{ ...outcome, format: 4, scenario: "outage", title: outage.title, question: outage.question },
    ...{ command: "", seed: 1, machine, load: { before: 0, others: 0 }, startedAt: "", seconds: 1 },
  } as never);
  expect(page).not.toMatch(/NaN|undefined|Infinity/);
});
