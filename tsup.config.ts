import { writeFile } from "node:fs/promises";
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
  cache: "src/cache.ts",
  compress: "src/compress.ts",
  otel: "src/otel.ts",
  undici: "src/undici.ts",
  idempotent: "src/idempotent.ts",
  streams: "src/streams.ts",
  ioredis: "src/ioredis.ts",
  "node-redis": "src/node-redis.ts",
};

const { index, fetch, ioredis, "node-redis": nodeRedis, undici, ...features } = ENTRIES;
/** Entries that need Node anyway. */
const nodeOnly = { ioredis, "node-redis": nodeRedis, undici };

async function writeEsmDeclarations(): Promise<void> {
  for (const name of Object.keys(ENTRIES)) {
    await writeFile(join(outDir, `${name}.d.ts`), `export * from "./${name}.cjs";\n`);
  }
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

/** Writes the ES modules of entries that need Node anyway: their code is that of CommonJS. */
async function writeNodeOnlyEsm(): Promise<void> {
  const require = createRequire(import.meta.url);
  for (const name of Object.keys(nodeOnly)) {
    const names = Object.keys(require(resolve(outDir, `${name}.cjs`)));
    const code = `import entry from "./${name}.cjs";\nexport const { ${names.join(", ")} } = entry;\n`;
    await writeFile(join(outDir, `${name}.js`), code);
  }
}

const common: Options = {
  outDir,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  external: [/^node:/],
  sourcemap: true,
  splitting: true,
  minify: true,
  esbuildOptions(options) {
    // Node shows the line that threw; it should not be all of the file.
    options.lineLimit = 120;
    options.sourcesContent = false;
  },
};

/** Declarations take most of the time of a build, and nothing that runs reads them. */
const types = process.env.WARMLINE_CODE_ONLY !== "1";

/** The declarations of all entries together, so that they share their types. */
const declarations: Options = {
  entry: ENTRIES,
  // An ES module's declarations re-export them: a second copy would be as large.
  format: ["cjs"],
  outDir,
  dts: { only: true },
};

export default defineConfig([
  // ES modules are loaded slowly: the clients have one chunk in common, which they would have to share with the others.
  { ...common, entry: { index, fetch }, onSuccess: types ? writeEsmDeclarations : undefined },
  { ...common, entry: features },
  {
    ...common,
    entry: ENTRIES,
    plugins: [toCommonJs],
    outExtension: () => ({ js: ".cjs" }),
    onSuccess: writeNodeOnlyEsm,
  },
  ...(types ? [declarations] : []),
]);
