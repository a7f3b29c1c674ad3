// A second consumer resumes a stream and reads all of it.

import { done } from "./done.mjs";
import { streams } from "./recipes/resumable-stream.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const read = async (stream) => {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
};
const source = () =>
  new ReadableStream({
    async start(controller) {
      for (const part of ["one ", "two ", "three ", "four"]) {
        controller.enqueue(part);
        await pause(300);
      }
      controller.close();
    },
  });
const first = read(await streams.resumableStream("s", source));
await pause(200);
const second = await streams.resumeExistingStream("s");
const texts = { second: await read(second), first: await first };
done({ ...texts, after: await streams.hasExistingStream("s") });
