import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { newFolder } from "../../support/new-folder.js";
import { bundle } from "../support/bundle.js";
import { binary, type Report, testRuntime } from "../support/suite.js";

// Cloudflare's runtime, with no compatibility flag: nothing of Node's is there.

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "loopback", network = (allow = ["private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2025-09-01",
  globalOutbound = "loopback",
);
`;

testRuntime("workerd", "fetch", async (setup) => {
  const folder = newFolder("workerd");
  writeFileSync(join(folder, "config.capnp"), CONFIG);
  const worker = await bundle("workerd/worker.js", ["workerd", "worker", "browser"], "esm");
  writeFileSync(join(folder, "worker.js"), worker);
  // It reports its address on the control channel.
  const child = spawn(binary(".bin/workerd"), ["serve", "config.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      child.on("error", reject).on("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
      const control = child.stdio[3] as NodeJS.ReadableStream;
      createInterface({ input: control }).on("line", (line) => {
        const { event, port } = JSON.parse(line);
        if (event === "listen") resolve(port);
      });
    });
    const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: JSON.stringify(setup) });
    const text = await response.text();
    if (!response.ok) throw new Error(`The worker failed: ${text}`);
    return JSON.parse(text) as Report;
  } finally {
    child.kill("SIGKILL");
  }
});
