import { describe, expect, test } from "vitest";
import { BEYOND_REDIS_7 } from "../../../gateway/src/engine/missing-commands.js";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { call, run } from "../gateway/http.js";

/** The errors of a command, sent alone, in a pipeline and in a transaction. */
async function errors(gateway: Gateway, ...command: string[]): Promise<string[]> {
  const replies = await Promise.all([
    call(gateway, "/", { body: command }),
    call(gateway, "/pipeline", { body: [["PING"], command] }),
    call(gateway, "/multi-exec", { body: [["PING"], command] }),
  ]);
  return replies.map(({ json }) => (json as { error: string }[])[1]?.error ?? json.error);
}

describe("the error for a command that another engine has", () => {
  const embedded = sharedByTests(() => createGateway({ engine: "embedded", port: 0 }));

  test("the embedded engine's error names the choice, and only for commands of Redis", async () => {
    const [single, pipelined, inTransaction] = await errors(embedded, "LOLWUT");
    const hint =
      "ERR unknown command 'LOLWUT' (the embedded engine does not have it; a redis-server may: give --engine its path)";
    expect(single).toContain(hint);
    expect(pipelined).toContain(hint);
    expect(inTransaction).toContain(hint);
    const unknown = await errors(embedded, "NOSUCH");
    expect(unknown[0]).toMatch(/^ERR unknown command 'NOSUCH', with args/);
  });

  test("redis-server's error names the embedded engine, and only for its commands", {
    tags: "redis-server",
  }, async () => {
    const gateway = forTest(await createGateway({ engine: "auto", port: 0 }));
    for (const name of ["JSON.SET", "hexpire"]) {
      for (const error of await errors(gateway, name, "k", "$", "1"))
        expect(error).toContain(
          `ERR unknown command '${name}' (the embedded engine has it: --engine embedded; or give --engine the path of a newer redis-server)`,
        );
    }
    const unknown = await errors(gateway, "NOSUCH");
    expect(unknown[0]).toMatch(/^ERR unknown command 'NOSUCH', with args/);
    // The list: what one has and the other has not.
    const names = async (one: Gateway) =>
      ((await run(one, "COMMAND", "LIST")) as string[]).map((name) => name.toUpperCase());
    const theirs = new Set(await names(gateway));
    const missing = (await names(embedded)).filter((name) => !theirs.has(name) && !/[|.]/.test(name));
    expect(missing.sort()).toEqual([...BEYOND_REDIS_7].sort());
  });
});
