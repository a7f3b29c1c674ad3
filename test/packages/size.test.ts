import { expect, test } from "vitest";
import { type Size, sizeOf } from "../../scripts/size.js";

// What the client adds to a function's bundle. Above these figures a change has to say why it is worth it.

function print(entry: string, { minified, gzipped, eager, parts }: Size): void {
  const shares = parts.map(({ folder, minified, gzipped }) => `${folder} ${minified} (${gzipped})`);
  console.info(
    `${entry}: ${minified} bytes minified, ${gzipped} gzipped; ${eager} gzipped at the start. There: ${shares.join(", ")}`,
  );
}

test("the fetch entry, with every command but the modules, is within its limit", async () => {
  const size = await sizeOf("fetch.ts", "neutral");
  print("fetch", size);
  // The goal is 12 * 1024, in one file or at least at the start, which the commands and the rules for outcomes have not
  // come down to (docs/performance.md): lower these with every saving. 300 bytes make rows and methods when they are
  // asked for: the import takes a third to a half less time. 500 keep outcomes true over several tries, and calls
  // alive under fake timers. 100 find the core of a client made anew without making a key of its options. 120 look for
  // digits that would be lost in a sixth of the time, whatever is stored. 80 keep a call from waiting without end for
  // what is loaded late, and say what is wrong with too many arguments. 125 keep the order of a turn's commands that are
  // too many for one request. 300 let a class of one's own call super and keep its fields in with(), keep what other
  // servers repeat of arguments out of messages, and name a deadline or signal that is none. 150 settle calls through middleware in
  // their own time, and give pipelines the time that their commands may wait. 1,090 keep the signals and deadlines of
  // commands apart that share a request. 300 send a write in a form that fetch does not repeat, and end its repeats in time.
  // 130 let methods of pipelines work detached, and work out a script's digest before its first call.
  // 330 name statuses and where redirects lead; 310 bound the size of a response. 200 keep parts
  // of scripts out of messages, and refuse options that are no object. 220 read text right from endpoints that encode
  // nothing, and refuse an unknown responseEncoding.
  // 2,880 check the shape of every argument and the name of every option, and say what is wrong with them.
  // 30 at the start, 70 in all, are names of properties that say what is in them.
  expect(size.eager).toBeLessThanOrEqual(23_640);
  expect(size.gzipped).toBeLessThanOrEqual(30_080);
});

test("the Node entry is within its limit", async () => {
  const size = await sizeOf("index.ts", "node");
  print("Node", size);
  expect(size.minified).toBeLessThanOrEqual(190_000);
});
