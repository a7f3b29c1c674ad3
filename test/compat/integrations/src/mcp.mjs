import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolResultSchema, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import express from "express";
import { done, serve } from "./done.mjs";
import { createEventStore } from "./recipes/mcp.mjs";

// The connection is closed after the first notice: the client resumes, and gets what it has missed from the store.
const server = new McpServer({ name: "test", version: "1.0.0" }, { capabilities: { logging: {} } });
server.registerTool("count", { description: "counts to three" }, async (extra) => {
  for (const data of ["one", "two", "three"]) {
    await server.server.notification(
      { method: "notifications/message", params: { level: "info", data } },
      { relatedRequestId: extra.requestId },
    );
    if (data === "one") extra.closeSSEStream();
  }
  return { content: [{ type: "text", text: "counted" }] };
});
const transport = new StreamableHTTPServerTransport({
  sessionIdGenerator: () => "session-1",
  eventStore: createEventStore("session-1"),
  retryInterval: 50,
});
await server.connect(transport);
const app = express().use(express.json());
let resumed = 0;
app.all("/mcp", (request, response) => {
  if (request.headers["last-event-id"]) resumed++;
  return transport.handleRequest(request, response, request.body);
});
const client = new Client({ name: "test", version: "1.0.0" });
const notices = [];
client.setNotificationHandler(
  LoggingMessageNotificationSchema,
  ({ params }) => void notices.push(params.data),
);
await client.connect(new StreamableHTTPClientTransport(new URL(`${await serve(app)}/mcp`)));
const result = await client.request(
  { method: "tools/call", params: { name: "count", arguments: {} } },
  CallToolResultSchema,
);
done({ notices, text: result.content[0].text, resumed: resumed > 0 });
