// A session counts, is kept by its cookie, and is destroyed.

import { done, serve } from "./done.mjs";
import { app } from "./recipes/express-session.mjs";

const url = await serve(app);
let cookie = "";
const get = async (path) => {
  const response = await fetch(url + path, { headers: { cookie } });
  cookie ||= response.headers.get("set-cookie")?.split(";")[0] ?? "";
  return response.json();
};
const views = [await get("/"), await get("/"), await get("/")];
const left = await get("/leave");
done({ views, left, after: await get("/") });
