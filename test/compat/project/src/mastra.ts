import { UpstashStore } from "@mastra/upstash";

const store = new UpstashStore({
  id: "store",
  url: process.env.UPSTASH_REDIS_REST_URL!,
  token: process.env.UPSTASH_REDIS_REST_TOKEN!,
});
await store.init();
const memory = (await store.getStore("memory"))!;
const createdAt = new Date("2026-01-01T00:00:00Z");
const thread = {
  id: "t1",
  resourceId: "ada",
  title: "First",
  metadata: { n: 1 },
  createdAt,
  updatedAt: createdAt,
};
await memory.saveThread({ thread });
const messages = ["hello", "1.50", '{"a":1}'].map((text, at) => ({
  id: `m${at}`,
  threadId: "t1",
  resourceId: "ada",
  role: "user" as const,
  createdAt: new Date(createdAt.getTime() + at * 1_000),
  content: { format: 2 as const, parts: [{ type: "text" as const, text }] },
}));
await memory.saveMessages({ messages });
const found = await memory.listMessages({ threadId: "t1", perPage: 2, page: 0 });
const updated = await memory.updateThread({ id: "t1", title: "Renamed", metadata: { n: 2 } });
const threads = await memory.listThreads({ filter: { resourceId: "ada" } });

const workflows = (await store.getStore("workflows"))!;
const snapshot = { runId: "r1", status: "running", value: {}, context: { input: { big: 12345678901 } } };
await workflows.persistWorkflowSnapshot({ workflowName: "w", runId: "r1", snapshot: snapshot as never });
const loaded = await workflows.loadWorkflowSnapshot({ workflowName: "w", runId: "r1" });
await memory.deleteThread({ threadId: "t1" });
console.log(
  JSON.stringify({
    found: found.messages.map(({ id, content }) => [id, content]),
    total: found.total,
    title: updated.title,
    threads: threads.threads.map(({ id, title, metadata }) => [id, title, metadata]),
    loaded,
    deleted: await memory.getThreadById({ threadId: "t1" }),
  }),
);
process.exit(0);
