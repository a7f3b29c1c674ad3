import { expect, test } from "vitest";
import { frozenSentence, recreatedSentence, savedSentence } from "../../../bench/src/keepalive/sentences.js";
import { atLeast, exactly } from "../../../bench/src/results/checks.js";
import type { Result } from "../../../bench/src/results/result.js";
import { resultText } from "../../../bench/src/results/result-text.js";

const at = (value: number, low: number, high: number, n = 5) => ({ value, low, high, n });

const [SAVED, NOT_CLEAR] = [
  "A kept connection saved",
  "It is not clear whether a kept connection saved time:",
];
test.each([
  [at(6.42, 5.9, 7), `${SAVED} 6.4 ms (5.9 to 7.0) per command: a new one took 3.2x as long.`],
  [at(-0.3, -0.5, -0.1), `${SAVED} nothing: a command took 0.3 ms longer than over a new one.`],
  [at(0.2, -0.4, 0.5), `${NOT_CLEAR} 0.2 ms (-0.4 to 0.5) per command.`],
  [at(6.42, 5.9, 7, 4), `${NOT_CLEAR} 6.4 ms (5.9 to 7.0) per command.`],
])("the sentence about a kept connection says whether it saved time: %j", (saved, sentence) => {
  expect(savedSentence(saved, at(3.2, 3, 3.4))).toBe(sentence);
});

test.each([
  [
    at(1, 0.99, 1.01),
    1,
    "A client * is as fast as one kept outside: 1.00x (0.99 to 1.01), with 1 connection per process.",
  ],
  [
    at(1.2, 1.1, 1.3),
    20,
    "A client * is slower than one kept outside: 1.20x (1.10 to 1.30), with up to 20 connections per process.",
  ],
  // Four processes decide nothing.
  [
    at(1.2, 1.1, 1.3, 4),
    1,
    "It is not clear whether a client * is slower than one kept outside: 1.20x (1.10 to 1.30), with 1 connection per process.",
  ],
])("the sentence on a recreated client says whether it is slower: %j, %i", (times, connections, sentence) => {
  expect(recreatedSentence(times, connections)).toBe(sentence.replace("*", "created in every call"));
});

test("the sentence about a freeze has the first command's time, and counts lost ones of all clients", () => {
  const thawed = (label: string, lost: number) => {
    return { label, commands: 5, lost, ms: at(lost < 5 ? 8 : Number.NaN, 7, 9) };
  };
  const start = "After a freeze in which the network dropped the connection, ";
  const own = thawed("warmline", 0);
  expect(frozenSentence(own, [own, thawed("a", 5), thawed("b", 2)])).toBe(
    `${start}the first command took 8.0 ms, and 0 of 5 were lost (a: 5 of 5, b: 2 of 5).`,
  );
  expect(frozenSentence(thawed("warmline", 5), [])).toBe(`${start}5 of 5 were lost.`);
});

const result = {
  sentences: [
    "It is fast, as a long sentence says that does not fit into one line of a terminal of a hundred columns.",
  ],
  terms: ["cold: the first call"],
  table: {
    columns: [{ title: "client" }, { title: "ms", number: true }],
    rows: [{ cells: ["a", "2.0"], newGroup: true }],
  },
  machine: { cores: 2, node: "v20.18.0" },
  settings: { rttMs: 1, tls: true, engine: "embedded" },
  seed: 7,
  seconds: 25,
  checks: [
    atLeast("it is faster", at(3, 2, 4), 1, { article: "keepalive.first", beside: "others: 4x" }),
    exactly("it loses nothing", false, "1 of 5"),
  ],
  load: {},
} as unknown as Result;

test("a result is printed as sentences, table, terms and checks, in lines of at most 100 columns", () => {
  const text = resultText(result);
  expect(
    text,
  ).toBe(`It is fast, as a long sentence says that does not fit into one line of a terminal of a hundred
columns.

client   ms
------  ---
a       2.0

cold: the first call
2 cores, Node 20.18.0, round trip 1 ms, TLS, embedded, seed 7, 25 s.

yes  it is faster: 2.0x to 4.0x
     The article measured: 20x, 43 and 2.2 ms on average
no   it loses nothing: 1 of 5

`);
});
