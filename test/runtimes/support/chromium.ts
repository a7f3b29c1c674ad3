import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { chromiumProgram } from "../../support/tags.js";
import { bundle } from "./bundle.js";

/**
 * Runs a page's program in a headless browser.
 * @param program fetches its setup from `/setup` and posts its report to `/report`.
 * @returns the report.
 */
export async function runPage<Report>(program: string, setup: unknown): Promise<Report> {
  const script = await bundle(program, ["browser"], "esm");
  const profile = mkdtempSync(join(tmpdir(), "warmline-chromium-"));
  let child: ReturnType<typeof spawn> | undefined;
  const server = createServer();
  try {
    return await new Promise<Report>((resolve, reject) => {
      server.on("request", async (request, response) => {
        const answer = (type: string, body: string) =>
          response.writeHead(200, { "Content-Type": type }).end(body);
        if (request.url === "/setup") answer("application/json", JSON.stringify(setup));
        else if (request.url === "/page.js") answer("text/javascript", script);
        else if (request.url === "/report") {
          const report = JSON.parse(await text(request));
          answer("text/plain", "thanks");
          resolve(report);
        } else answer("text/html", '<!doctype html><script type="module" src="/page.js"></script>');
      });
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo;
        const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
        const places = [`--user-data-dir=${profile}`, `http://127.0.0.1:${port}/`];
        child = spawn(chromiumProgram!, [...args, ...places], { stdio: "ignore", detached: true });
        child
          .on("error", reject)
          .on("exit", (code) => reject(new Error(`${chromiumProgram} ended with ${code}`)));
      });
    });
  } finally {
    if (child?.pid && child.exitCode === null) {
      const ended = new Promise((resolve) => child?.once("exit", resolve));
      // Its helpers too, which would go on writing into the profile.
      process.kill(-child.pid, "SIGKILL");
      await ended;
    }
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  }
}
