/** The articles whose experiments the bench repeats, by a short name. */
export const ARTICLES = {
  keepalive: "Reusing HTTP connections with keepalive in serverless (Upstash)",
  serverless: "Challenge of serverless: database connections (Upstash)",
  reconnect: "Frequent reconnections improved by a connection manager (YugabyteDB)",
  lambda: "Lambda optimization tip: enable HTTP keep-alive (Yan Cui)",
  envoy: "How we use Envoy to improve PHP Redis client performance (Houzz)",
} as const;
