import { expect, test, vi } from "vitest";
import type { Permissions } from "../../../../gateway/src/access/permissions.js";
import { runPipeline } from "../../../../gateway/src/api/batch.js";
import type { Exchange } from "../../../../gateway/src/api/exchange.js";
import type { ReplyEncoder } from "../../../../gateway/src/api/json-encoder.js";
import { PipelineResponse } from "../../../../gateway/src/api/responses.js";
import type { CommandCounts } from "../../../../gateway/src/metrics/commands.js";
import { command } from "../../../../gateway/src/resp/command.js";

/** The fields of an exchange that matter for the order of slices. */
function exchange(format: Exchange["format"] = "json") {
  const responses: string[] = [];
  const given = {
    abandoned: false,
    unsent() {},
    format,
    guard: (step: () => void) => step(),
    sent() {},
    commandsSettled() {},
    record: { replied: () => 0 },
    reply: (_status: number, _type: string, body: Buffer) => responses.push(body.toString()),
    startBody: (_status: number, _type: string, encoder: ReplyEncoder) => ({
      write(bytes: Buffer) {
        encoder.write(bytes);
        responses.push(encoder.take().toString());
      },
      end() {
        encoder.end();
        responses.push(encoder.take().toString());
      },
    }),
  };
  return { given, responses, exchange: given as unknown as Exchange };
}

/** Waits for the next tick of the event loop. */
const slice = () => new Promise((resolve) => setImmediate(resolve));

test.each(["json", "base64", "resp2"] as const)("long %s begins with its first reply", async (format) => {
  const { responses, exchange: waiting } = exchange(format);
  const numbers = Array.from({ length: 4_500 }, (_, i) => i);
  const response = new PipelineResponse(waiting, numbers.length, numbers, () => {});
  // The second request arrives first: it waits for the first one's slice.
  for (const i of [1, 0]) response.onReply(Buffer.from(`:${i}\r\n`), i);
  expect(responses.length).toBe(2);
  for (const i of numbers.slice(2)) response.onReply(Buffer.from(`:${i}\r\n`), i);
  const whole = responses.join("");
  if (format === "resp2") {
    expect(whole).toBe(`*${numbers.length}\r\n${numbers.map((n) => `:${n}\r\n`).join("")}`);
  } else expect(JSON.parse(whole)).toEqual(numbers.map((result) => ({ result })));
});

test("commands of a pipeline that are denied fail in slices, even if the client leaves meanwhile", async () => {
  const { given, exchange: waiting } = exchange();
  Object.assign(given, { hold: () => true, release() {} });
  const permissions = {
    denialReason: () => "NOPERM no",
    quota: { enter: () => expect.unreachable(), leave: () => expect.unreachable(), owe() {} },
  } as unknown as Permissions;
  const settled = vi.fn();
  given.commandsSettled = settled;
  let failed = 0;
  const counts = { received() {}, failed: () => failed++ } as unknown as CommandCounts;
  runPipeline(waiting, permissions, Array(2_000).fill(command("DENIED")), counts, () => 0);
  for (let turn = 0; failed === 0 && turn < 1_000; turn++) await slice();
  expect(failed).toBeGreaterThan(0);
  expect(failed).toBeLessThan(2_000);
  given.abandoned = true;
  await expect.poll(() => settled).toHaveBeenCalledTimes(1);
});
