import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { transform } from "esbuild";
import { defineConfig, type Options } from "tsup";

/** A folder of its own, from which scripts/build.mjs moves the files into `dist`. */
const outDir = process.env.WARMLINE_OUT_DIR ?? "dist";

const ENTRIES = {
  index: "src/index.ts",
  fetch: "src/fetch.ts",
  modules: "src/commands/modules/index.ts",
  near: "src/near.ts",
  undici: "src/undici.ts",
  idempotent: "src/idempotent.ts",
  streams: "src/streams.ts",
  ioredis: "src/ioredis.ts",
  "node-redis": "src/node-redis.ts",
};

const { index, ...others } = ENTRIES;
const { ioredis, "node-redis": nodeRedis, ...portable } = others;
const connectors = { ioredis, "node-redis": nodeRedis };

async function writeEsmDeclarations(): Promise<void> {
  for (const name of Object.keys(ENTRIES)) {
    await writeFile(join(outDir, `${name}.d.ts`), `export * from "./${name}.cjs";\n`);
  }
}

/**
 * Writes the Node entry as CommonJS: its ES module imports nothing, so only the exports at its end differ. Line by line the
 * code is the same, so both have one source map.
 */
async function writeCommonJsEntry(): Promise<void> {
  const code = await readFile(join(outDir, "index.js"), "utf8");
  const converted = code.replace(/\bexport\{([^}]*)\}/, (_, names: string) => {
    const exported = names.replace(/([\w$]+) as (\w+)/g, "$2:$1");
    // Node finds the names for `import` in code that never runs.
    const hint = `0&&(module.exports={${names.replace(/[\w$]+ as /g, "")}})`;
    return `Object.assign(Object.defineProperty(exports,"__esModule",{value:!0}),{${exported}});${hint}`;
  });
  if (converted === code) throw new Error("the exports of index.js were not found");
  await writeFile(join(outDir, "index.cjs"), converted);
}

/** Makes CommonJS of the chunks of ES modules: esbuild splits no others. */
const toCommonJs: NonNullable<Options["plugins"]>[number] = {
  name: "to-commonjs",
  async renderChunk(code, { map }) {
    const inline = Buffer.from(String(map)).toString("base64");
    const result = await transform(`${code}\n//# sourceMappingURL=data:application/json;base64,${inline}`, {
      format: "cjs",
      platform: "node",
      target: "es2022",
      minify: true,
      lineLimit: 120,
      sourcemap: "external",
    });
    return { code: result.code, map: JSON.parse(result.map) };
  },
};

/** Writes the connectors' ES modules, which need Node anyway: their code is that of CommonJS. */
async function writeEsmConnectors(): Promise<void> {
  const require = createRequire(import.meta.url);
  for (const name of Object.keys(connectors)) {
    const names = Object.keys(require(resolve(outDir, `${name}.cjs`)));
    const code = `import connector from "./${name}.cjs";\nexport const { ${names.join(", ")} } = connector;\n`;
    await writeFile(join(outDir, `${name}.js`), code);
  }
}

const common: Options = {
  outDir,
  format: ["esm", "cjs"],
  target: "node20",
  sourcemap: true,
  splitting: false,
  minify: true,
  esbuildOptions(options) {
    // Node shows the line that threw; it should not be all of the file.
    options.lineLimit = 120;
    options.sourcesContent = false;
  },
};

const shared: Options = {
  ...common,
  format: "esm",
  splitting: true,
  target: "es2022",
  platform: "neutral",
  external: [/^node:/],
};

export default defineConfig([
  {
    ...common,
    entry: { index },
    format: "esm",
    banner: { js: '"use strict";' },
    async onSuccess() {
      await writeCommonJsEntry();
      await writeEsmDeclarations();
    },
  },
  // The other entries share chunks.
  { ...shared, entry: portable },
  {
    ...shared,
    entry: others,
    plugins: [toCommonJs],
    outExtension: () => ({ js: ".cjs" }),
    onSuccess: writeEsmConnectors,
  },
  // The declarations of all entries together, so that they share their types.
  {
    entry: ENTRIES,
    // An ES module's declarations re-export them: a second copy would be as large.
    format: ["cjs"],
    outDir,
    dts: { only: true },
  },
]);
