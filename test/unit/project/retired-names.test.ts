import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const SELF = "test/unit/project/retired-names.test.ts";

/** Identifiers that must not return, each with the folders it is retired in and the name to use instead. */
const RETIRED: readonly { name: RegExp; folders: readonly string[]; instead: string }[] = [
  // Results of the bench
  { name: /\b(finding|findingOf)\b/, folders: ["bench"], instead: "summary" },
  { name: /\b(Figure|figuresOf)\b|\bfigures\??:/, folders: ["bench"], instead: "headlines" },
  {
    name: /\b(claim|held|measured)\??: (string|boolean)\b/,
    folders: ["bench"],
    instead: "expectation, passed, actual",
  },
  { name: /\bMISSED\b/, folders: ["bench", "docs"], instead: "FAIL" },
  { name: /\b(leftOut|LeftOut)\b|\bLeft out:/, folders: ["bench"], instead: "skipped" },
  // Inside the bench
  {
    name: /\b(inRounds|shareOf|conditionsOf|OpenCold|OpenClient|ColdRow|WarmRow|versionsMeasured)\b/,
    folders: ["bench/src"],
    instead: "defineScenario(), whose runner does it",
  },
  { name: /\b(Peer|PeerClient|PeerFunction|peers)\b/, folders: ["bench"], instead: "BenchClient, clients" },
  { name: /\bspeak\b/, folders: ["bench/src"], instead: "auth" },
  { name: /\b(live\(|LifeOptions\b)|\/life\.js/, folders: ["bench"], instead: "runInstance()" },
  { name: /\btold\(|\/told\.js/, folders: ["bench"], instead: "buildReport()" },
  // The testbed
  {
    name: /\b(startPath|PathOptions)\b|\btype Path\b/,
    folders: ["testbed", "bench"],
    instead: "NetworkProxy",
  },
  { name: /\bLane\b/, folders: ["testbed", "bench"], instead: "DelayedStream, Workload" },
  { name: /\bsilence\(/, folders: ["testbed", "bench"], instead: "blackhole()" },
  { name: /\b(forget|forgetFlows)\(/, folders: ["testbed", "bench"], instead: "dropFlow(), blackholeAll()" },
  { name: /\bsurplus\(/, folders: ["testbed", "bench"], instead: "extraBytes()" },
  {
    name: /\b(httpAnswer|AnswerPart|swallowAnswers)\b/,
    folders: ["testbed", "bench", "test"],
    instead: "response",
  },
  { name: /\bFakeFate\b/, folders: ["testbed"], instead: "FakeAction" },
  {
    name: /\bLink\b|\.links\b|\/link\.js/,
    folders: ["testbed", "bench/src", "test/faults", "test/soak"],
    instead: "ProxiedConnection, connections",
  },
  { name: /\b(resp2Answer|Answers|loseAnswers)\b/, folders: ["test"], instead: "response, replies" },
  {
    name: /\b(told|Told|fates?|Fate|fateOf|nobodyUrl|tellsUnsent|wordsOf)\b/,
    folders: [
      "test/bench",
      "test/browser",
      "test/compat",
      "test/examples",
      "test/faults",
      "test/fuzz",
      "test/integration",
      "test/packages",
      "test/soak",
      "test/support",
      "test/unit/bench",
      "test/unit/client",
      "test/unit/execution",
      "test/unit/gateway",
      "test/unit/transport",
    ],
    instead: "outcome, settlement, action, report, requested or args",
  },
  // The client
  { name: /"safe"/, folders: ["src", "compat", "docs"], instead: '"at-most-once"' },
  { name: /\breplyLifetime\b/, folders: ["src", "compat", "docs", "test"], instead: "exactlyOnceTtl" },
  {
    name: /\b(ConnectionDiscarded|KeptAll|HttpAnswer|onAnswer|AutomaticBatch|sendEach|turnTwice|needsLate|rowFor|rowOf)\b/,
    folders: ["src", "test"],
    instead: "the name in src",
  },
  // The gateway
  {
    name: /--(operation-timeout|head-timeout|close-grace|soft-limit|hard-limit|max-pending|max-words|watch-commands|allow-path-writes)\b/,
    folders: ["gateway", "docs", "test", "bench", "testbed"],
    instead: "the setting in gateway/src/settings/table.ts",
  },
  {
    name: /\b(answers_total|streams_cut_total|WatchedCommand|Detecting|SingleUse|keyPlacesOf)\b/,
    folders: ["gateway/src", "docs", "test"],
    instead: "the name in gateway/src",
  },
  {
    name: /\b(giveBack|KEPT_IDLE|NOT_TOLD|PATIENCE|REFUSED_WITHIN|EVICTED_AFTER|WORTH_READING|LOOK_EVERY|Looked|readPush|heardAt|askedAt|askAgain)\b|#look\b/,
    folders: ["gateway/src", "test"],
    instead: "the name in gateway/src",
  },
  { name: /\btype Place\b|: Place\b/, folders: ["gateway/src"], instead: "CommandContext" },
  { name: /\b(settingsOf|WITHOUT_DEFAULT)\b/, folders: ["gateway", "test"], instead: "resolveSettings" },
  // Constants and comments
  {
    name: /\b(MOST|LONGEST)(_[A-Z]|\b)/,
    folders: ["src", "gateway/src", "bench", "testbed", "compat"],
    instead: "MAX_",
  },
  {
    name: /(\/\*\*|^\s*\*) (What|Whoever|Those|Such|Whose|Of|The same)\b/m,
    folders: ["bench/src", "testbed/src", "compat/src"],
    instead: "a comment that names the thing first",
  },
  {
    name: /(\/\*\*|^\s*\*) (What|Whoever|Those|Such|Whose|Of|The same|How|Where|Why|By|Said|Since|Until)\b/m,
    folders: ["gateway/src"],
    instead: "a comment that names the thing first",
  },
];

/** Folders of generated or installed files. */
const SKIPPED = new Set(["node_modules", "dist", "report", "package-lock.json"]);

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (SKIPPED.has(entry.name) && path !== "bench/src/report") return [];
    if (entry.isDirectory()) return filesIn(path);
    return /\.(ts|mts|mjs|json|md)$/.test(entry.name) && path !== SELF ? [path] : [];
  });
}

test.each(RETIRED)("no file in $folders has the retired name $name", ({ name, folders, instead }) => {
  const files = folders.flatMap(filesIn);
  expect(files.length).toBeGreaterThan(0);
  const found = files.filter((file) => name.test(readFileSync(join(root, file), "utf8")));
  expect(found, `use instead: ${instead}`).toEqual([]);
});
