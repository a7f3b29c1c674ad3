import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { newFolder } from "../../support/new-folder.js";

// Files that no compiler reads: manifests, workflows, deployment files, release notes, llms.txt and SKILL.md.

const root = resolve(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const published = [
  ["package.json", undefined],
  ["gateway/package.json", "gateway"],
  ["compat/package.json", "compat"],
  ["adapters/package.json", "adapters"],
] as const;

describe.each(published)("%s", (path, directory) => {
  const manifest = JSON.parse(read(path));

  test("the package can be published with provenance", () => {
    expect(manifest.repository).toEqual({
      type: "git",
      url: "git+https://github.com/warmline/warmline.git",
      ...(directory && { directory }),
    });
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
    expect(manifest.private).toBeUndefined();
    expect(manifest.license).toBe("MIT");
    expect(manifest.files).toContain("dist");
  });
});

describe("workflows and templates", () => {
  test.each(["ci", "random", "release"])("%s: scripts exist, actions are pinned, no write access", (name) => {
    const workflow = parse(read(`.github/workflows/${name}.yml`));
    expect(workflow.permissions).toEqual({ contents: "read" });
    const { scripts } = JSON.parse(read("package.json"));
    const steps = Object.values<any>(workflow.jobs).flatMap((job) => job.steps);
    for (const { run, uses } of steps) {
      expect(run ?? uses).toBeTruthy();
      if (uses) expect(uses).toMatch(/@[0-9a-f]{40}$/);
      for (const [, named, test] of (run ?? "").matchAll(/npm (?:run (?:--silent )?([\w:]+)|(test)\b)/g))
        expect(Object.keys(scripts)).toContain(named ?? test);
      for (const [, workspace] of (run ?? "").matchAll(/--workspace (\w+)/g)) {
        expect(existsSync(join(root, workspace!, "package.json"))).toBe(true);
      }
      if (run?.startsWith(".")) expect(existsSync(join(root, run.split(" ")[0]))).toBe(true);
    }
  });

  test("every folder of tests is a suite of .ci/run, and has a script unless npm test runs it", () => {
    const others = ["README.md", "support", "types"];
    const folders = readdirSync(join(root, "test")).filter((name) => !others.includes(name));
    const script = read(".ci/run");
    const run = [...script.matchAll(/^(?!\s*#).*\btests \w+ ([a-z,]+)/gm)].flatMap(([, suites]) =>
      suites!.split(","),
    );
    expect([...new Set(run)].sort()).toEqual(folders.sort());
    const inNpmTest = /\?\? "([a-z,]+)"\)\.split/.exec(read("vitest.config.ts"))![1]!.split(",");
    const { scripts } = JSON.parse(read("package.json"));
    const named = Object.keys(scripts).flatMap((name) => /^test:(.*)$/.exec(name)?.[1] ?? []);
    expect([...named, ...inNpmTest].sort()).toEqual(folders.sort());
  });

  test("the groups of .ci/run are the jobs of the GitHub workflow", () => {
    const [, groups] = /^all=\((.*)\)$/m.exec(read(".ci/run"))!;
    const { matrix } = parse(read(".github/workflows/ci.yml")).jobs.checks.strategy;
    expect(matrix.group).toEqual(groups!.split(" "));
  });
});

test("links of llms.txt resolve", () => {
  const text = read("llms.txt");
  expect(text).toMatch(/^# warmline\n\n> /);
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!);
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) {
    const [, path] = /^https:\/\/github\.com\/warmline\/warmline\/blob\/main\/(.+)$/.exec(link) ?? [];
    expect(existsSync(join(root, path ?? "no link into the repository")), link).toBe(true);
  }
});

test("llms.txt lists every page, and SKILL.md has a name and a description", () => {
  const text = read("llms.txt");
  for (const page of readdirSync(join(root, "docs")).filter(
    (name) => name.endsWith(".md") && !["index.md", "README.md"].includes(name),
  ))
    expect(text, page).toContain(`/docs/${page})`);
  const [, front] = /^---\n(.*?)\n---\n/s.exec(read("skills/warmline/SKILL.md"))!;
  const { name, description } = parse(front!);
  expect(name).toBe("warmline");
  expect(description.length).toBeGreaterThan(100);
  expect(description.length).toBeLessThanOrEqual(1_024);
  const { files } = JSON.parse(read("package.json"));
  expect(files).toEqual(expect.arrayContaining(["llms.txt", "skills"]));
});

describe("the files of gateway/deploy", () => {
  const { version } = JSON.parse(read("package.json"));
  const versions = (root: string) =>
    readdirSync(join(root, "gateway/deploy"), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(yaml|toml|json)$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(root, "gateway/deploy", file), "utf8");
        const pattern =
          /(?:warmline-gateway:|^(?:version|appVersion): |"(?:version|default)": ")(\d+\.[\w.-]+)/gm;
        return [...text.matchAll(pattern)].map(([, found]) => found!);
      });

  test("the files of gateway/deploy name the version in package.json", () => {
    expect(versions(root).length).toBeGreaterThan(9);
    expect(new Set(versions(root))).toEqual(new Set([version]));
  });

  test("a release sets the version in these files and in docs/deploy.md", async () => {
    const folder = newFolder("deployed");
    for (const path of ["gateway/deploy", "docs/deploy.md"])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    const { setDeployedVersion } = await import(join(root, "scripts/release.mjs"));
    setDeployedVersion(folder, "9.8.7-beta.1");
    expect(versions(folder)).toEqual(versions(root).map(() => "9.8.7-beta.1"));
    const page = readFileSync(join(folder, "docs/deploy.md"), "utf8");
    expect(page).toContain("tar xzf warmline-gateway-9.8.7-beta.1-linux-x64.tar.gz");
    expect(page).toContain("/releases/download/v9.8.7-beta.1/warmline-gateway-9.8.7-beta.1-linux-x64.tar.gz");
    expect(page).not.toContain(`gateway-${version}`);
  });
});

describe("release notes", () => {
  const folder = newFolder("release");
  for (const path of ["gateway", "compat", "adapters", "examples/one"])
    mkdirSync(join(folder, path), { recursive: true });

  function notes(tag: string, files: Record<string, string> = {}): string {
    const { client = "1.2.0", gateway = "1.2.0", compat = "^1.2.0", example = "^1.2.0" } = files;
    writeFileSync(
      join(folder, "compat/package.json"),
      JSON.stringify({ dependencies: { warmline: compat } }),
    );
    writeFileSync(
      join(folder, "examples/one/package.json"),
      JSON.stringify({ devDependencies: { "warmline-gateway": example } }),
    );
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version: client }));
    writeFileSync(join(folder, "gateway/package.json"), JSON.stringify({ version: gateway }));
    writeFileSync(join(folder, "adapters/package.json"), JSON.stringify({ version: gateway }));
    writeFileSync(
      join(folder, "CHANGELOG.md"),
      files.changelog ??
        "# Changelog\n\n## 1.2.0 - 2026-01-02\n\n- New.\n\n## 1.1.0 - 2025-01-01\n\n- Old.\n",
    );
    const env = { ...process.env, RELEASE_ROOT: folder };
    return execFileSync(process.execPath, [join(root, "scripts/release-notes.mjs"), tag], {
      env,
      encoding: "utf8",
      stdio: "pipe",
    });
  }

  test("release notes are the release's section of the changelog", () => {
    expect(notes("v1.2.0")).toBe("- New.\n");
  });

  test.each([
    ["1.2.0", {}, "is not a release tag"],
    ["v1.3.0", {}, "package.json says 1.2.0, the tag 1.3.0"],
    ["v1.2.0", { gateway: "1.1.0" }, "gateway/package.json says 1.1.0"],
    ["v1.2.0", { compat: "^1.1.0" }, "compat/package.json wants warmline ^1.1.0"],
    ["v1.2.0", { example: "^1.1.0" }, "examples/one/package.json wants warmline-gateway ^1.1.0"],
    ["v1.2.0", { changelog: "# Changelog\n\n## 1.1.0 - 2025-01-01\n" }, "has no section"],
    ["v1.2.0", { changelog: "## 1.2.0 - unreleased\n" }, "has no date yet"],
  ])("release notes fail for %s %o", (tag, files, message) => {
    expect(() => notes(tag, files)).toThrow(message);
  });
});

describe("publishing a release", () => {
  const folder = newFolder("publish");
  // Stands in for npm and gh: logs its calls in "ran"; "existing" lists versions that are published already.
  const fake = `#!/bin/sh\ncase "$1 $2" in "view "*|"release view") grep -qF "$*" existing ;; *) echo "$(basename "$0") $*" >> ran ;; esac\n`;
  for (const name of ["npm", "gh"]) writeFileSync(join(folder, name), fake, { mode: 0o755 });

  function publish(tag: string, existing: string[] = []): string[] {
    const { steps } = parse(read(".github/workflows/release.yml")).jobs.publish;
    for (const path of [".", "gateway", "compat", "adapters"]) {
      const { name } = JSON.parse(read(join(path, "package.json")));
      const version = path === "compat" ? "1.39.7" : tag.slice(1);
      mkdirSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, path, "package.json"), JSON.stringify({ name, version }));
    }
    writeFileSync(join(folder, "existing"), existing.join("\n"));
    writeFileSync(join(folder, "ran"), "");
    for (const { run } of steps.filter(({ name }: { name?: string }) => name)) {
      const env = {
        ...process.env,
        PATH: `${folder}:${process.env.PATH}`,
        GITHUB_REF_NAME: tag,
        RUNNER_TEMP: "/tmp",
      };
      execFileSync("bash", ["-e", "-c", run], { cwd: folder, env, stdio: "pipe" });
    }
    return readFileSync(join(folder, "ran"), "utf8").trim().split("\n");
  }

  test("the workflow publishes four packages and creates the release", () => {
    expect(publish("v1.2.0")).toEqual([
      "npm publish . --provenance --tag latest",
      "npm publish ./gateway --provenance --tag latest",
      "npm publish ./compat --provenance --tag latest",
      "npm publish ./adapters --provenance --tag latest",
      "gh release create v1.2.0 --verify-tag --title v1.2.0 --notes-file /tmp/notes.md --latest",
    ]);
  });

  test("publishing again after a failure publishes the missing packages", () => {
    const existing = ["view warmline@1.2.0 version", "view warmline-upstash@1.39.7 version"];
    expect(publish("v1.2.0", existing)).toEqual([
      "npm publish ./gateway --provenance --tag latest",
      "npm publish ./adapters --provenance --tag latest",
      expect.stringMatching(/^gh release create v1\.2\.0 /),
    ]);
    expect(
      publish("v1.2.0", [
        ...existing,
        "view warmline-gateway@1.2.0 version",
        "view warmline-adapters@1.2.0 version",
        "release view v1.2.0",
      ]),
    ).toEqual([""]);
  });

  test("a prerelease is not tagged latest", () => {
    const ran = publish("v1.2.0-beta.1");
    for (const line of ran.slice(0, 4)) expect(line).toMatch(/--tag next$/);
    expect(ran[4]).toMatch(/--prerelease$/);
  });
});
