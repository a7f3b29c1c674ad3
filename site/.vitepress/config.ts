import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { defineConfig } from "vitepress";

const root = resolve(import.meta.dirname, "../..");
/** The copy of docs/ that scripts/site.mjs makes: pages find Vue only below this folder. */
const pages = join(root, "site/pages");
const REPOSITORY = "https://github.com/warmline/warmline";
const BASE = "/warmline/";
const DESCRIPTION = "Redis over HTTP for serverless functions";

/** Anchors of headings as GitHub makes them, so that a link works on GitHub and on the site. */
const slugify = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

/** Links to files outside docs/ lead to the repository. */
function siteLink(href: string, page: string): string {
  if (!href.startsWith("../")) return href;
  const [path, anchor] = href.split("#") as [string, string?];
  const file = resolve(root, "docs", relative(pages, dirname(page)), path);
  if (!existsSync(file)) return href;
  const kind = statSync(file).isDirectory() ? "tree" : "blob";
  return `${REPOSITORY}/${kind}/main/${relative(root, file)}${anchor ? `#${anchor}` : ""}`;
}

const sidebar = [
  {
    text: "To begin",
    items: [
      { text: "Getting started", link: "/getting-started" },
      { text: "Cookbook", link: "/cookbook" },
      { text: "Testing and mocking", link: "/testing" },
      { text: "Integrations", link: "/integrations" },
      { text: "Troubleshooting", link: "/troubleshooting" },
      { text: "For AI assistants", link: "/ai-assistants" },
    ],
  },
  {
    text: "Moving from",
    items: [
      { text: "@upstash/redis", link: "/migrate-from-upstash" },
      { text: "@vercel/kv", link: "/migrate-from-vercel-kv" },
      { text: "ioredis", link: "/migrate-from-ioredis" },
      { text: "node-redis", link: "/migrate-from-node-redis" },
      { text: "ioredis and node-redis over HTTP", link: "/ioredis" },
    ],
  },
  {
    text: "The client",
    items: [
      { text: "Connections and freezes", link: "/connections" },
      { text: "Retries and outcomes", link: "/retries" },
      { text: "Exactly-once writes", link: "/exactly-once" },
      { text: "Publish and subscribe", link: "/pubsub" },
      { text: "Streams that outlive a function", link: "/streams" },
      { text: "Caching", link: "/caching" },
      { text: "Schemas", link: "/schemas" },
      { text: "A key prefix", link: "/prefix" },
      { text: "Compressed values", link: "/compress" },
      { text: "Proxies, private CAs, undici", link: "/networks" },
      { text: "Errors", link: "/errors" },
      { text: "Commands", link: "/commands" },
    ],
  },
  {
    text: "The gateway",
    items: [
      { text: "Running the gateway", link: "/gateway" },
      { text: "Deploying the gateway", link: "/deploy" },
      { text: "Clusters and Sentinels", link: "/cluster" },
      { text: "Redis of the clouds", link: "/cloud-redis" },
      { text: "Scale", link: "/scale" },
    ],
  },
  {
    text: "Background",
    items: [
      { text: "Benchmarks", link: "/benchmarks" },
      { text: "Performance", link: "/performance" },
      { text: "Architecture", link: "/architecture" },
      { text: "Glossary", link: "/glossary" },
    ],
  },
];

/** Pages that no group lists are listed last, by their titles. */
const listed = new Set(sidebar.flatMap(({ items }) => items.map(({ link }) => link)));
const others = readdirSync(pages)
  .filter((name) => name.endsWith(".md") && name !== "index.md" && !listed.has(`/${name.slice(0, -3)}`))
  .map((name) => ({
    text: /^# (.*)$/m.exec(readFileSync(join(pages, name), "utf8"))?.[1] ?? name,
    link: `/${name.slice(0, -3)}`,
  }));
if (others.length > 0) sidebar.push({ text: "More", items: others });

export default defineConfig({
  title: "warmline",
  description: DESCRIPTION,
  base: BASE,
  srcDir: "pages",
  outDir: "../build/site",
  cacheDir: "../node_modules/.cache/vitepress",
  cleanUrls: true,
  transformPageData: ({ relativePath, frontmatter }) => {
    if (!["benchmarks.md", "performance.md", "scale.md"].includes(relativePath)) return;
    // Their tables need the width of the outline beside the text.
    frontmatter.aside = false;
    frontmatter.pageClass = "figures";
  },
  head: [
    ["link", { rel: "icon", href: `${BASE}logo.svg` }],
    ["meta", { property: "og:type", content: "website" }],
    ["meta", { property: "og:title", content: "warmline" }],
    ["meta", { property: "og:description", content: DESCRIPTION }],
    ["meta", { property: "og:image", content: `https://warmline.github.io${BASE}social.png` }],
    ["meta", { name: "twitter:card", content: "summary_large_image" }],
  ],
  // TypeDoc generates these pages; scripts/site.mjs checks links to them.
  ignoreDeadLinks: [/^\/api\//],
  markdown: {
    // Comments of the default dark theme have too little contrast.
    theme: { light: "github-light", dark: "github-dark-default" },
    anchor: { slugify },
    toc: { slugify },
    languageAlias: { dotenv: "sh" },
    config(md) {
      md.core.ruler.push("repository-links", ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === "link_open" && token.attrGet("href");
          if (href) token.attrSet("href", siteLink(href, env.path));
        }
      });
    },
  },
  themeConfig: {
    logo: "/logo.svg",
    search: { provider: "local" },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path` },
    footer: { message: "MIT licensed" },
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "Cookbook", link: "/cookbook" },
      { text: "Commands", link: "/commands" },
      { text: "API", link: "/api/index.html", target: "_self" },
    ],
    sidebar,
  },
});
