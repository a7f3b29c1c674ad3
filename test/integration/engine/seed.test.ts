import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { startRedis } from "warmline-testbed";
import type { Engine } from "../../../gateway/src/engine/engine.js";
import { runSeed } from "../../../gateway/src/seed/run-seed.js";
import { readSeedFile } from "../../../gateway/src/seed/seed-file.js";
import { sharedByTests } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";

const folder = newFolder("run-seed");

const LIBRARY = `FUNCTION LOAD "#!lua name=lib\\nredis.register_function('f', function() return 1 end)"`;

describe("a seed that ends halfway", { tags: "redis-server" }, () => {
  const redis = sharedByTests(() => startRedis());
  beforeEach(async () => {
    await redis.command("FLUSHALL");
    await redis.command("FUNCTION", "FLUSH");
  });

  /** An engine that keeps its data, and whose connections are lost after `bytes` bytes. */
  const engine = (bytes = Number.POSITIVE_INFINITY): Engine => ({
    description: "",
    data: "kept",
    connect(onread) {
      const socket = connect({ path: redis.path!, onread });
      const write = socket.write.bind(socket) as (chunk: Uint8Array) => boolean;
      let left = bytes;
      socket.write = ((chunk: Uint8Array) => {
        left -= chunk.length;
        return left < 0 ? !socket.destroy() : write(chunk);
      }) as typeof socket.write;
      return socket;
    },
    close: async () => {},
  });
  const seed = (lines: string[], bytes?: number) => {
    const path = join(folder, "seed.redis");
    writeFileSync(path, lines.join("\n"));
    return runSeed(engine(bytes), readSeedFile(path));
  };
  const many = Array.from({ length: 5_000 }, (_, at) => `SET key:${at} x`);

  test("a seed whose connection is lost has changed nothing, and runs at the next start", async () => {
    await expect(seed(many, 60_000)).rejects.toThrow(/^seed: the commands failed: the connection to Redis/);
    expect(await redis.command("DBSIZE")).toBe(0);
    expect(await seed(many)).toMatch(/, 5000 commands$/);
    expect(await redis.command("DBSIZE")).toBe(5_000);
    expect(await seed(many)).toMatch(/ was not run: the kept data has 5000 keys$/);
  });

  test("a seed with an error leaves neither keys nor functions, and names the line", async () => {
    for (const wrong of ["INCR key:1", "SET key:2"])
      await expect(seed([...many, LIBRARY, wrong, ...many])).rejects.toThrow(
        /^seed: .*seed\.redis: line 5002: (INCR failed: ERR value is not an integer|SET failed: ERR wrong number)/,
      );
    expect(await redis.command("DBSIZE")).toBe(0);
    expect(await redis.command("FUNCTION", "LIST")).toEqual([]);
  });

  test("a seed of functions alone runs once", async () => {
    expect(await seed([LIBRARY])).toMatch(/, 1 command$/);
    expect(await seed([LIBRARY])).toMatch(/ was not run: the kept data has functions$/);
  });
});
