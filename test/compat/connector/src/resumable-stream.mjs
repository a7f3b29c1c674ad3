// A stream that a second consumer resumes, by ioredis and by node-redis.
import { createResumableStreamContext as byNodeRedis } from "resumable-stream";
import { createResumableStreamContext as byIoredis } from "resumable-stream/ioredis";
import { done, ioredis, nodeRedis, pause } from "./connect.mjs";

const read = async (stream) => {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
};
// ioredis 5 must be ready before it subscribes: else its own INFO may come too late.
const ready = async (client) => {
  await client.ping();
  return client;
};
const found = {};
for (const [name, create, publisher, subscriber] of [
  ["ioredis", byIoredis, await ready(ioredis()), await ready(ioredis())],
  ["node-redis", byNodeRedis, await nodeRedis(), await nodeRedis()],
]) {
  const context = create({ waitUntil: null, publisher, subscriber, keyPrefix: name });
  const source = () =>
    new ReadableStream({
      async start(controller) {
        for (const part of ["one ", "two ", "three ", "four"]) {
          controller.enqueue(part);
          await pause(500);
        }
        controller.close();
      },
    });
  const first = read(await context.resumableStream("s", source));
  await pause(200);
  const second = await context.resumeExistingStream("s");
  found[name] = { second: await read(second), first: await first };
}
done(found);
