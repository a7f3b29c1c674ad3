import { expect, test } from "vitest";
import { forTest } from "../support/lifetime.js";
import { serve, useExample } from "./support/example.js";

const example = useExample("resumable-stream");

const words = Array.from({ length: 20 }, (_, n) => `${n + 1} `);

/** Returns the words of a response in the AI SDK's format. Reads `most` words, or all. */
async function readWords(response: Response, most = Infinity): Promise<string[]> {
  const read = (text: string) =>
    [...text.matchAll(/^data: (\{.*\})$/gm)]
      .map(([, data]) => JSON.parse(data!))
      .filter(({ type }) => type === "text-delta")
      .map(({ delta }) => delta as string);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    // Leaving the loop cancels the request, as a reload does.
    if (read(text).length >= most) break;
  }
  return read(text);
}

test("a browser that reloads gets an AI response from its beginning to its end", async () => {
  const { env, folder } = example;
  const server = forTest(await serve("node", ["server.mjs"], { folder, env: { ...env, PORT: "0" } }));
  const resume = (id: string) => fetch(`${server.url}/api/chat/${id}/stream`);
  expect((await resume("none")).status).toBe(204);
  const first = await fetch(`${server.url}/api/chat/1`, { method: "POST" });
  expect(first.headers.get("content-type")).toBe("text/event-stream");
  const seen = await readWords(first, 3);
  expect(seen).toEqual(words.slice(0, seen.length));
  expect(seen.length).toBeLessThan(20);
  const second = await resume("1");
  expect(second.headers.get("content-type")).toBe("text/event-stream");
  // Two browsers at once, one of which leaves again.
  const third = readWords(await resume("1"), 5);
  expect(await readWords(second)).toEqual(words);
  expect((await third).length).toBeLessThanOrEqual(20);
  expect(await readWords(await resume("1"))).toEqual(words);
}, 60_000);
