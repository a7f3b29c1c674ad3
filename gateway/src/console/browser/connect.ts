import { button, byId, element, group } from "./dom.js";

/** Time in ms for which a button shows whether its text was copied. */
const SHOWN_FOR = 1_500;

/** Fills the view with what an application needs to connect. The token is copied, but not shown. */
export function showConnect(token: string): void {
  const { origin } = location;
  const env = (secret: string) =>
    [
      `WARMLINE_URL=${origin}`,
      `WARMLINE_TOKEN=${secret}`,
      `UPSTASH_REDIS_REST_URL=${origin}`,
      `UPSTASH_REDIS_REST_TOKEN=${secret}`,
    ].join("\n");
  const snippet = [
    'import { Redis } from "warmline";',
    "",
    "const redis = Redis.fromEnv();",
    'await redis.set("user:1", { name: "Ada" }, { ex: 3600 });',
    'console.log(await redis.get("user:1"));',
  ].join("\n");
  const curl = (secret: string) => `curl ${origin}/get/user:1 -H "Authorization: Bearer ${secret}"`;
  const dots = "•".repeat(12);
  byId("connect").replaceChildren(
    ...block("Environment", "Paste these lines into your .env file.", env(dots), env(token)),
    ...block("TypeScript", "Run npm install warmline. The client reads the variables above.", snippet),
    ...block("Shell", "Any HTTP client works.", curl(dots), curl(token)),
  );
}

/** @param copied the text that is copied. Default: the one shown. */
function block(title: string, hint: string, text: string, copied = text): HTMLElement[] {
  const copy = button("Copy", async () => {
    const isCopied = await navigator.clipboard?.writeText(copied).then(
      () => true,
      () => false,
    );
    const byHand =
      copied === text ? "select the text and copy it" : "copy the text, and put the token for the dots";
    copy.textContent = isCopied ? "Copied" : `Copying failed: ${byHand}`;
    setTimeout(() => {
      copy.textContent = "Copy";
    }, SHOWN_FOR);
  });
  copy.setAttribute("aria-label", `Copy: ${title}`);
  return [
    group("div", "title", element("h2", title), copy),
    element("p", hint, "dim"),
    element("pre", text, "code"),
  ];
}
