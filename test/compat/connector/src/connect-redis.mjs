// Sessions of express-session: one that counts, all of them, one that is destroyed.
import { RedisStore } from "connect-redis";
import express from "express";
import session from "express-session";
import { done, nodeRedis } from "./connect.mjs";

const store = new RedisStore({ client: await nodeRedis(), prefix: "sess:" });
const app = express();
app.use(session({ store, secret: "s", resave: false, saveUninitialized: false }));
app.get("/", (request, response) => {
  request.session.views = (request.session.views ?? 0) + 1;
  response.json(request.session.views);
});
app.get("/leave", (request, response) => request.session.destroy(() => response.json("left")));
const server = app.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const url = `http://127.0.0.1:${server.address().port}`;
let cookie = "";
const get = async (path) => {
  const response = await fetch(url + path, { headers: { cookie } });
  cookie ||= response.headers.get("set-cookie")?.split(";")[0] ?? "";
  return response.json();
};
const views = [await get("/"), await get("/"), await get("/")];
const length = await store.length();
const left = await get("/leave");
done({ views, length, left, after: await get("/") });
