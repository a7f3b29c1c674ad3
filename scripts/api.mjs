// Generates the API reference from docstrings into build/api. Fails if an exported member has no docstring.
//   node scripts/api.mjs            checks and generates
//   node scripts/api.mjs --check    checks alone; further arguments are entry points instead of the packages' own
import { relative, resolve } from "node:path";
import { Application, ReflectionKind } from "typedoc";

const root = resolve(import.meta.dirname, "..");
const ENTRIES = [
  "src/index.ts",
  "src/fetch.ts",
  "src/commands/modules/index.ts",
  "src/idempotent.ts",
  "src/streams.ts",
  "src/near.ts",
  "src/cache.ts",
  "src/compress.ts",
  "src/otel.ts",
  "src/undici.ts",
  "src/ioredis.ts",
  "src/node-redis.ts",
  "adapters/src/express-session.ts",
  "adapters/src/keyv.ts",
  "adapters/src/next/index.ts",
  "gateway/src/index.ts",
  "gateway/src/testing/index.ts",
  "gateway/src/testing/msw.ts",
];

/** Kinds that need a docstring of their own. Functions and constructors have theirs on their signatures. */
const DOCUMENTED =
  ReflectionKind.Class |
  ReflectionKind.Interface |
  ReflectionKind.TypeAlias |
  ReflectionKind.Variable |
  ReflectionKind.Property |
  ReflectionKind.GetSignature |
  ReflectionKind.CallSignature;

/** Returns the members of a project without a docstring, as `file:line: name`. */
function undocumented(project) {
  const found = new Set();
  for (const reflection of project.getReflectionsByKind(DOCUMENTED)) {
    if (isDocumented(reflection) || isInTypeLiteral(reflection)) continue;
    const [source] = reflection.sources ?? reflection.parent?.sources ?? [];
    const file = source === undefined ? "?" : relative(root, source.fullFileName);
    // Declarations of other packages are not ours to document.
    if (file.includes("node_modules")) continue;
    found.add(`${file}:${source?.line}: ${reflection.getFullName()}`);
  }
  return [...found].sort();
}

function isDocumented(reflection) {
  if (reflection.hasComment()) return true;
  // A property that holds a function has its docstring on the function's signature.
  return reflection.type?.declaration?.signatures?.some((signature) => signature.hasComment()) ?? false;
}

/** Members of `{ ... }` in a type are described by the docstring of that type. */
function isInTypeLiteral(reflection) {
  for (let parent = reflection.parent; parent; parent = parent.parent)
    if (parent.kindOf(ReflectionKind.TypeLiteral)) return true;
  return false;
}

const [mode, ...entries] = process.argv.slice(2);
const app = await Application.bootstrapWithPlugins({
  name: "warmline",
  entryPoints: (entries.length > 0 ? entries : ENTRIES).map((entry) => resolve(root, entry)),
  tsconfig: resolve(root, "scripts/api.tsconfig.json"),
  out: resolve(root, "build/api"),
  readme: resolve(root, "site/api.md"),
  navigationLinks: { Guide: "https://warmline.github.io/warmline/" },
  includeVersion: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  gitRevision: "main",
  sourceLinkTemplate: "https://github.com/warmline/warmline/blob/{gitRevision}/{path}#L{line}",
  skipErrorChecking: true,
  // Types that only occur inside other types are written out there, and need no page.
  validation: { notExported: false, invalidLink: true, notDocumented: false, rewrittenLink: false },
  treatValidationWarningsAsErrors: true,
  logLevel: "Warn",
});
const project = await app.convert();
if (project === undefined) process.exit(1);
app.validate(project);
const missing = undocumented(project);
for (const each of missing) console.error(`${each} has no docstring`);
if (missing.length > 0 || app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
if (mode !== "--check") await app.generateOutputs(project);
