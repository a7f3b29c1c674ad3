import http from "node:http";
import https from "node:https";

const url = new URL(process.env.BENCH_URL!);
const { Agent, request } = url.protocol === "https:" ? https : http;
const make = () => new Agent({ keepAlive: process.env.BENCH_KEEPALIVE === "1" });
const kept = process.env.BENCH_CLIENT === "reused" ? make() : undefined;

function get(key: string, agent: http.Agent): Promise<string | null> {
  const body = JSON.stringify(["GET", key]);
  const headers = {
    Authorization: `Bearer ${process.env.BENCH_TOKEN}`,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part) => {
        text += part;
      });
      response.on("end", () => resolve(JSON.parse(text).result));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export const handler = async () => {
  const greeting = await get("greeting", kept ?? make());
  return { statusCode: 200, body: greeting ?? "hello, stranger" };
};
