import { done } from "./done.mjs";
import { streams } from "./recipes/assistant-stream.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const encoder = new TextEncoder();
const source = () =>
  new ReadableStream({
    async start(controller) {
      for (const part of ["one ", "two ", "three ", "four"]) {
        controller.enqueue(encoder.encode(part));
        await pause(200);
      }
      controller.close();
    },
  });
const first = new Response(await streams.run("answer", source)).text();
await pause(300);
const second = new Response(await streams.requireResume("answer")).text();
const texts = { second: await second, first: await first };
done({ ...texts, status: await streams.status("answer"), none: await streams.resume("other") });
