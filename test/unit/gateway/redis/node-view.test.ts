import { describe, expect, test } from "vitest";
import { primariesIn, slotOwnersIn } from "../../../../gateway/src/redis/cluster/node-view.js";

const A = "aaaa 127.0.0.1:1@2,, myself,master - 0 0 3 connected 0-8191";
const B = "bbbb 127.0.0.1:3@4,, master - 0 1700000000000 2 connected 8192-16383";
const EMPTY = "cccc 127.0.0.1:5@6,, master - 0 1700000000000 0 connected";
const OTHER = EMPTY.replace("cccc", "dddd");
const REPLICA = "eeee 127.0.0.1:7@8,, slave aaaa 0 1700000000000 3 connected";
const bulk = (...lines: string[]) => {
  const text = lines.map((line) => `${line}\n`).join("");
  return Buffer.from(`$${text.length}\r\n${text}\r\n`);
};
const verbatim = (...lines: string[]) => {
  const text = `txt:${lines.map((line) => `${line}\n`).join("")}`;
  return Buffer.from(`=${text.length}\r\n${text}\r\n`);
};
const before = primariesIn(bulk(A, B, EMPTY));

describe("the primaries of a cluster", () => {
  test.each([
    ["the order of the lines", bulk(EMPTY, B, A)],
    ["the protocol", verbatim(A, B, EMPTY)],
    ["a later PONG", bulk(A, B.replace("1700000000000", "1700000001000"), EMPTY)],
    ["a replica", bulk(A, B, EMPTY, REPLICA)],
    ["a suspicion", bulk(A, B.replace("master", "master,fail?"), EMPTY)],
    ["a slot on its way", bulk(`${A} [5->-bbbb]`, B, EMPTY)],
  ])("%s does not change the primaries", (_, reply) => {
    expect(primariesIn(reply)).toBe(before);
  });

  test.each([
    ["a primary in place of another one", bulk(A, B, OTHER)],
    ["a removed primary", bulk(A, B)],
    ["a primary that has failed", bulk(A, B.replace("master", "master,fail"), EMPTY)],
    ["a slot of another primary", bulk(A.replace("8191", "8190"), B.replace("8192", "8191"), EMPTY)],
    ["a failover", bulk(A, B.replace(" 2 connected", " 4 connected"), EMPTY)],
    ["a primary that became a replica", bulk(A, B.replace("master -", "slave aaaa"), EMPTY)],
  ])("%s changes the primaries", (_, reply) => {
    expect(primariesIn(reply)).not.toBe(before);
  });

  test("nodes agree on the owners of slots whatever they know of other primaries", () => {
    const ownersIn = (...lines: string[]) => slotOwnersIn(primariesIn(bulk(...lines)));
    const owners = ownersIn(A, B, EMPTY);
    expect(ownersIn(A, B.replace(" 2 connected", " 4 connected"))).toBe(owners);
    expect(ownersIn(A, B.replace("bbbb", "dddd"), EMPTY)).not.toBe(owners);
  });
});
