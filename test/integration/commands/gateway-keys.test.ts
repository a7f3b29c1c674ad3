import { expect, test } from "vitest";
import { argsOf } from "../../../gateway/src/resp/args.js";
import { command } from "../../../gateway/src/resp/command.js";
import { startRedis } from "../../../testbed/src/index.js";
import { describeGatewayKeys } from "./describe-gateway-keys.js";

describeGatewayKeys("Redis 7.0", startRedis, { tags: "redis-server" });

test("the arguments are those of the encoding, byte for byte", () => {
  const args = ["SET", "", "a\r\nb", "\u00ff\u0000", "$5"];
  const bytes = args.map((word) => `$${word.length}\r\n${word}\r\n`).join("");
  const made = command("x");
  const encoded = Object.assign(Object.create(Object.getPrototypeOf(made)), {
    bytes: Buffer.from(`*${args.length}\r\n${bytes}`, "latin1"),
    size: args.length,
  });
  expect(argsOf(encoded)).toEqual(args);
});
