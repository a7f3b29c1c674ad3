import { handle, Realtime } from "@upstash/realtime";
import { Redis } from "@upstash/redis";
import { z } from "zod/v4";

const schema = { chat: { message: z.object({ text: z.string(), tags: z.array(z.string()) }) } };
const realtime = new Realtime({ schema, redis: Redis.fromEnv(), history: { maxLength: 2 } });
const channel = realtime.channel("room");

const live: unknown[] = [];
const unsubscribe = await channel.subscribe({
  events: ["chat.message"],
  onData: ({ data }) => live.push(data),
});
for (const text of ["1", "two", '{"three":3}']) await channel.emit("chat.message", { text, tags: ["a"] });
while (live.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
await unsubscribe();
const history = (await channel.history()).map(({ event, data, channel: name }) => ({ event, data, name }));

// The route that a browser reads events from.
const abort = new AbortController();
const request = new Request("http://localhost/api?channel=room&last_ack_room=0", { signal: abort.signal });
const response = (await handle({ realtime })(request)) as Response;
const decoder = new TextDecoder();
let events = "";
for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
  events += decoder.decode(chunk, { stream: true });
  if (events.split("data: ").length > 3) break;
}
abort.abort();
const types = events
  .split("\n\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line.slice("data: ".length)))
  .map(({ type, event, data }) => type ?? [event, data]);
console.log(JSON.stringify({ live, history, types }));
process.exit(0);
