import { expect, test } from "vitest";
import { run } from "../support/packages/run.js";
import { useExample } from "./support/example.js";

const example = useExample("lock");

test("the lock admits one holder, with a growing fence, and is released when the work fails", async () => {
  const lines = `import { Redis } from "warmline";
    import { withLock } from "./lock.mjs";
    const redis = Redis.fromEnv();
    let inside = 0, most = 0;
    const fences = [];
    await Promise.all(Array.from({ length: 5 }, () => withLock(redis, "job", async (fence) => {
      most = Math.max(most, ++inside);
      fences.push(fence);
      await new Promise((resolve) => setTimeout(resolve, 20));
      inside--;
    }, { wait: 20_000 })));
    const told = (promise) => promise.then((value) => value, (error) => error.message);
    const failed = await told(withLock(redis, "job", () => { throw new Error("work failed"); }));
    const after = await redis.exists("lock:{job}");
    const held = withLock(redis, "busy", () => new Promise((resolve) => setTimeout(resolve, 1500, "done")), { lease: 600 });
    await new Promise((resolve) => setTimeout(resolve, 900));
    const refused = await told(withLock(redis, "busy", () => "mine", { wait: 50 }));
    const extended = await held;
    const lost = await told(withLock(redis, "taken", async () => {
      await redis.set("lock:{taken}", "somebody else");
      await new Promise((resolve) => setTimeout(resolve, 500));
    }, { lease: 300 }));
    const theirs = await redis.get("lock:{taken}");
    console.log(JSON.stringify({ most, fences, failed, after, refused, extended, lost, theirs }));`;
  const args = ["--input-type=module", "--eval", lines];
  expect(JSON.parse(await run("node", args, example.folder, example.env))).toEqual({
    most: 1,
    fences: [1, 2, 3, 4, 5],
    failed: "work failed",
    after: 0,
    refused: "lock busy: held by somebody else for 50 ms",
    extended: "done",
    lost: "lock taken: it was lost while the work was being done",
    theirs: "somebody else",
  });
});
