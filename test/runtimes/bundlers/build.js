import { writeFileSync } from "node:fs";
import { join } from "node:path";

// Bundles program.js: `node build.js <bundler> <node|edge> <folder>`. Writes main.mjs, and what it warned of.
const [bundler, target, folder] = process.argv.slice(2);
const entry = join(import.meta.dirname, "program.js");
const isNode = target === "node";
const conditions = isNode ? ["node", "import"] : ["edge-light", "workerd", "browser", "import"];

const bundlers = {
  async esbuild() {
    const { build } = await import("esbuild");
    const { warnings } = await build({
      entryPoints: [entry],
      outdir: folder,
      entryNames: "main",
      outExtension: { ".js": ".mjs" },
      bundle: true,
      splitting: true,
      format: "esm",
      target: "es2022",
      platform: isNode ? "node" : "neutral",
      conditions,
      logLevel: "silent",
    });
    return warnings.map(({ text }) => text);
  },

  async rollup() {
    const { rollup } = await import("rollup");
    const { nodeResolve } = await import("@rollup/plugin-node-resolve");
    const warnings = [];
    const bundle = await rollup({
      input: entry,
      plugins: [nodeResolve({ exportConditions: conditions, preferBuiltins: isNode })],
      external: isNode ? [/^node:/] : [],
      onwarn: ({ message }) => warnings.push(message),
    });
    await bundle.write({ dir: folder, format: "esm", entryFileNames: "main.mjs" });
    return warnings;
  },

  async vite() {
    const { build, createLogger } = await import("vite");
    const warnings = [];
    const customLogger = {
      ...createLogger("silent"),
      warn: (text) => warnings.push(text),
      warnOnce: (text) => warnings.push(text),
    };
    await build({
      configFile: false,
      root: import.meta.dirname,
      customLogger,
      resolve: { conditions },
      ssr: { target: isNode ? "node" : "webworker", noExternal: true, resolve: { conditions } },
      build: {
        ssr: entry,
        outDir: folder,
        emptyOutDir: true,
        target: "es2022",
        rollupOptions: { output: { entryFileNames: "main.mjs" } },
      },
    });
    return warnings;
  },

  async webpack() {
    const { default: webpack } = await import("webpack");
    const stats = await new Promise((resolve, reject) => {
      const settings = {
        mode: "production",
        entry,
        target: isNode ? "node20" : ["webworker", "es2022"],
        resolve: { conditionNames: conditions },
        experiments: { outputModule: true },
        output: {
          path: folder,
          filename: "main.mjs",
          module: true,
          chunkFormat: "module",
          chunkLoading: "import",
          library: { type: "module" },
        },
        performance: false,
      };
      webpack(settings, (error, done) => (error ? reject(error) : resolve(done)));
    });
    const { warnings, errors } = stats.toJson({ all: false, warnings: true, errors: true });
    return [...errors, ...warnings].map(({ message }) => message);
  },

  // Run by Bun itself.
  async bun() {
    const { Bun } = globalThis;
    const { outputs, logs } = await Bun.build({
      entrypoints: [entry],
      outdir: folder,
      naming: { entry: "main.mjs" },
      splitting: true,
      target: isNode ? "node" : "browser",
      conditions,
    });
    if (outputs.length === 0) throw new Error("nothing was built");
    return logs.map(({ message }) => message);
  },
};

const warnings = await bundlers[bundler]();
writeFileSync(join(folder, "warnings.json"), JSON.stringify(warnings));
