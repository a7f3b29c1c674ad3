import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { commands } from "../../support/commands.js";
import { newFolder } from "../../support/new-folder.js";
import { errorsIn, importFrom, root } from "./changed-copy.js";

// The example in CONTRIBUTING.md, applied to a copy of the repository.

const copy = newFolder("new-command");

let Redis: any;

beforeAll(async () => {
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const [, signature, line] =
    /## A new command of the client.*?```typescript\n(.*?)```.*?```typescript\n(.*?)```/s.exec(
      readFileSync(join(root, "CONTRIBUTING.md"), "utf8"),
    )!;
  const file = join(copy, "src/commands/string.ts");
  const source = readFileSync(file, "utf8");
  const endOfInterface = source.indexOf("\n}", source.indexOf("export interface StringCommands")) + 1;
  const endOfTable = source.lastIndexOf("\n  };\n});") + 1 || source.lastIndexOf("\n  };\n}) satisfies") + 1;
  expect(endOfInterface).toBeGreaterThan(0);
  expect(endOfTable).toBeGreaterThan(endOfInterface);
  writeFileSync(
    file,
    (
      source.slice(0, endOfInterface) +
      signature +
      source.slice(endOfInterface, endOfTable) +
      line +
      source.slice(endOfTable)
    ).replace("import { checked, ", "import { as, checked, "),
  );
  ({ Redis } = await importFrom(copy, { entryPoints: [join(copy, "src/index.ts")] }));
});

/** A client of a requester that records what is sent and returns one result for each command. */
function recording() {
  const sent: unknown[] = [];
  const redis = new Redis({
    request: async ({ path, body }: { path?: string[]; body: unknown[] }) => {
      sent.push(body);
      return path ? body.map(() => ({ result: 5 })) : { result: 5 };
    },
  });
  return { redis, sent };
}

test("the command is a method of clients, pipelines and transactions", async () => {
  const { redis, sent } = recording();
  expect(await redis.strsize("k")).toBe(5);
  expect(await redis.pipeline().strsize("a").strsize("b").exec()).toEqual([5, 5]);
  expect(await redis.multi().strsize("c").exec()).toEqual([5]);
  expect(sent).toEqual([["STRLEN", "k"], commands("STRLEN a", "STRLEN b"), [["STRLEN", "c"]]]);
});

test("the command's arguments are checked", async () => {
  const { redis, sent } = recording();
  await expect(redis.strsize(undefined)).rejects.toThrow(/^STRLEN: .*is undefined/);
  await expect(redis.strsize("k", "more")).rejects.toThrow(/^STRLEN: /);
  expect(sent).toEqual([]);
});

test("the command has a type on the client and on a pipeline", () => {
  const file = join(copy, "use.ts");
  writeFileSync(
    file,
    `import { Redis } from "./src/index.js";
const redis = Redis.fromEnv();
const size: Promise<number> = redis.strsize("k");
const both: Promise<[number, string | null]> = redis.pipeline().strsize("k").get<string>("k").exec();
redis.strsize();
console.log(size, both);
`,
  );
  expect(errorsIn(file)).toEqual(["Expected 1 arguments, but got 0."]);
});
