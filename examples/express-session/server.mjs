import express from "express";
import session from "express-session";
import { Redis } from "warmline";
import { SessionStore } from "warmline-adapters/express-session";

const redis = Redis.fromEnv();
const app = express();
app.use(
  session({
    store: new SessionStore(redis),
    secret: process.env.SESSION_SECRET ?? "only for development",
    resave: false,
    saveUninitialized: false,
    cookie: { maxAge: 60 * 60 * 1000 },
  }),
);

app.get("/", (request, response) => {
  request.session.visits = (request.session.visits ?? 0) + 1;
  response.json({ visits: request.session.visits });
});

app.post("/logout", (request, response, next) => {
  request.session.destroy((error) => (error ? next(error) : response.json({ bye: true })));
});

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});

// Completes the requests in flight, then closes the connections to Redis, so that the process ends.
process.once("SIGTERM", () => server.close(() => redis.close()));
