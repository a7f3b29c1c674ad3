import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Content } from "../http/connection.js";
import { builtFile } from "../util/built-file.js";

/** Whether a request is a browser's that opens the page. */
export function wantsPage(method: string, path: string, accept: string | undefined): boolean {
  return path === "/" && (method === "GET" || method === "HEAD") && (accept?.includes("text/html") ?? false);
}

let page: Content | undefined;

/**
 * Returns the built page for browsers, which shows the gateway's activity and the keys of its Redis. It is read on the first call.
 * @throws {Error} when it has not been built
 */
export function consolePage(): Content {
  if (!page) {
    const body = readFileSync(builtFile("console.html", "the console page"));
    page = { type: "text/html; charset=utf-8", body, headers: headersOf(body.toString()) };
  }
  return page;
}

/**
 * The page may run only its own script and style, and connect only to this gateway. No page may frame it. If a key's name
 * were ever used as markup, trusted types would stop the browser from parsing it.
 */
function headersOf(html: string): string[] {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, "script")}`,
    `style-src ${hashOf(html, "style")}`,
    "connect-src 'self'",
    // The page's icon is an empty one.
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return [
    ["Content-Security-Policy", policy.join("; ")],
    ["Cache-Control", "no-store"],
    ["Vary", "Accept"],
    ["X-Content-Type-Options", "nosniff"],
    ["Referrer-Policy", "no-referrer"],
    ["Cross-Origin-Opener-Policy", "same-origin"],
    ["Cross-Origin-Resource-Policy", "same-origin"],
  ].flat();
}

/** The hash of the only element of that name, in the form of a content security policy. */
function hashOf(html: string, element: string): string {
  const text = new RegExp(`<${element}>(.*?)</${element}>`, "s").exec(html)?.[1] ?? "";
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
