import { expect, test } from "vitest";
import { run } from "../support/packages/run.js";
import { useExample } from "./support/example.js";

const example = useExample("rate-limit");

const program = (lines: string) => ["--input-type=module", "--eval", lines];

test("a sliding window is shared by all clients", async () => {
  const lines = `import { Redis } from "warmline";
    import { rateLimit } from "./rate-limit.mjs";
    const redis = Redis.fromEnv();
    const clock = Date.now;
    // A clock that the test moves: the beginning of a window.
    let now = 60_000 * 1000;
    Date.now = () => now;
    const functions = [rateLimit(redis, { limit: 10, window: 60_000 }), rateLimit(Redis.fromEnv({ timeout: 5000 }), { limit: 10, window: 60_000 })];
    const ask = async (times) => {
      const answers = await Promise.all(Array.from({ length: times }, (_, i) => functions[i % 2]("ada")));
      return answers.filter(({ allowed }) => allowed).length;
    };
    const results = [await ask(25)];
    now += 60_000; results.push(await ask(1));   // the whole of the last window still counts
    now += 30_000; results.push(await ask(25));  // half of it
    now += 90_000; results.push(await ask(25));
    const other = await functions[0]("bob");
    Date.now = clock;
    console.log(JSON.stringify({ results, other }));`;
  const { results, other } = JSON.parse(await run("node", program(lines), example.folder, example.env));
  expect(results).toEqual([10, 0, 5, 10]);
  expect(other).toMatchObject({ allowed: true, left: 9 });
});

test("the function responds 429 above the limit, and serves every request when Redis can't be reached", async () => {
  const lines = `import { handler } from "./handler.mjs";
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push((await handler({ caller: "c" })).statusCode);
    console.log(JSON.stringify(statuses));`;
  const statuses = (env: Record<string, string>) =>
    run("node", program(lines), example.folder, env).then(JSON.parse);
  const counted: number[] = await statuses(example.env);
  // A window may end meanwhile.
  expect(counted.slice(0, 10)).toEqual(Array(10).fill(200));
  expect(counted).toContain(429);
  expect(await statuses({ WARMLINE_URL: "http://127.0.0.1:9", WARMLINE_TOKEN: "t" })).toEqual(
    Array(12).fill(200),
  );
});
