import { createServer } from "node:http";
import { Readable } from "node:stream";
import { createUIMessageStream, createUIMessageStreamResponse, UI_MESSAGE_STREAM_HEADERS } from "ai";
import { Redis } from "warmline";
import { createResumableStreamContext } from "./resumable-stream.mjs";

const streams = createResumableStreamContext({ redis: Redis.fromEnv() });

/** Replaces a model: with a model, this is `streamText({ ... }).toUIMessageStream()`. */
function createAnswer() {
  return createUIMessageStream({
    async execute({ writer }) {
      writer.write({ type: "text-start", id: "1" });
      for (let word = 1; word <= 20; word++) {
        writer.write({ type: "text-delta", id: "1", delta: `${word} ` });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      writer.write({ type: "text-end", id: "1" });
    },
  });
}

/** Starts a chat's answer. */
function start(id) {
  return createUIMessageStreamResponse({
    stream: createAnswer(),
    consumeSseStream: ({ stream }) => streams.createNewResumableStream(id, () => stream),
  });
}

/** Returns the answer from its beginning: after a reload, `useChat({ resume: true })` requests it. */
async function resume(id) {
  const stream = await streams.resumeExistingStream(id);
  if (!stream) return new Response(null, { status: 204 });
  return new Response(stream.pipeThrough(new TextEncoderStream()), { headers: UI_MESSAGE_STREAM_HEADERS });
}

const server = createServer(async ({ method, url }, response) => {
  const [, id, isStream] = /^\/api\/chat\/([\w-]+)(\/stream)?$/.exec(url) ?? [];
  if (!id) return response.writeHead(404).end();
  const { status, headers, body } = isStream || method === "GET" ? await resume(id) : await start(id);
  response.writeHead(status, Object.fromEntries(headers));
  if (!body) return response.end();
  const readable = Readable.fromWeb(body);
  response.on("close", () => readable.destroy());
  readable.on("error", () => response.destroy());
  readable.pipe(response);
});

server.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
