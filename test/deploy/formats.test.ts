import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { parse } from "yaml";
import { readSettings } from "../../gateway/src/cli/settings.js";
import { newFolder } from "../support/new-folder.js";
import { run } from "../support/packages/run.js";

// The files for platforms, checked by the linters and schemas of their formats, most of which are Python tools.

const root = resolve(import.meta.dirname, "../..");
const deploy = join(root, "gateway/deploy");
const folder = newFolder("deploy");

const tools = inject("deployTools");
const python = { PYTHONPATH: tools ?? "", PATH: `${join(tools ?? "", "bin")}:${process.env.PATH}` };
const tool = (name: string, ...args: string[]) => run(name, args, root, python);

describe("formats", { tags: "deploy-tools", skip: tools === null }, () => {
  let checked: {
    problems: Record<string, string | null>;
    wrong: Record<string, string | null>;
    helm: Record<string, Record<string, string>>;
    lint: unknown[];
    fly: any;
  };
  beforeAll(async () => {
    checked = JSON.parse(await tool("python3", join(import.meta.dirname, "support/check.py"), deploy));
  }, 60_000);

  test.each(["compose.yaml", "cloudflare-tunnel.yaml", "kubernetes.yaml", "cloud-run.yaml", "helm"])(
    "%s keeps to its schema",
    (file) => {
      expect(Object.keys(checked.problems)).toContain(file);
      expect(checked.problems[file]).toBeNull();
    },
  );

  test("a misspelt field is found", () => {
    expect(Object.keys(checked.wrong)).toHaveLength(3);
    expect(Object.values(checked.wrong)).not.toContain(null);
  });

  test("the Dockerfile passes hadolint", async () => {
    expect(await tool("hadolint", "gateway/deploy/Dockerfile")).toBe("");
  });

  test("the templates for AWS pass cfn-lint, and a wrong one does not", { timeout: 120_000 }, async () => {
    const lint = (file: string) => tool("cfn-lint", file);
    expect(await lint(join(deploy, "ecs.yaml"))).toBe("");
    expect(await lint(join(root, "bench/aws/template.yaml"))).toBe("");
    const wrong = join(folder, "ecs.yaml");
    writeFileSync(
      wrong,
      readFileSync(join(deploy, "ecs.yaml"), "utf8").replace("TargetType:", "TargetKind:"),
    );
    await expect(lint(wrong)).rejects.toThrow("TargetKind");
  });

  test("every shell script passes shellcheck", async () => {
    const scripts = ["scripts", "gateway/deploy", "bench/aws"].flatMap((path) =>
      readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".sh"))
        .map((file) => join(path, file)),
    );
    expect(scripts.length).toBeGreaterThan(3);
    expect(await tool("shellcheck", ".ci/run", ...scripts)).toBe("");
  });

  test("the Helm chart passes helm lint", () => {
    expect(checked.lint).toEqual([]);
  });

  test("the Helm chart refuses wrong values, and a release without a token", () => {
    expect(checked.helm["no token"]!.error).toContain(
      "give existingSecret, the name of a Secret with the key token",
    );
    expect(checked.helm["unknown value"]!.error).toContain("replica");
  });

  test.each(["host", "port", "token", "tokenFile", "tokensFile", "redisPasswordFile"])(
    "the Helm chart refuses settings.%s, which it sets itself",
    (name) => {
      expect(checked.helm[`settings.${name}`]!.error).toContain(`settings.${name} is set by the chart`);
    },
  );

  test.each(["plain", "full"])("the gateway reads the settings of a chart with %s values", (name) => {
    const rendered = checked.helm[name]!;
    const deployment = parse(rendered["deployment.yaml"]!);
    const { spec } = deployment.spec.template;
    const [container] = spec.containers;
    const secrets = container.volumeMounts.find((each: any) => each.name === "secrets").mountPath;
    const config = join(folder, `${name}.yaml`);
    for (const [file, text] of [
      ["token", "a-token"],
      ["redis-password", "p"],
      ["tokens.yaml", "- { name: app, token: x }"],
    ])
      writeFileSync(join(folder, file!), text!);
    const text: string = parse(rendered["configmap.yaml"]!).data["gateway.yaml"];
    writeFileSync(config, text.replaceAll(secrets, folder));
    const { options } = readSettings(["--config", config], {});
    expect(options).toMatchObject({
      host: "0.0.0.0",
      tokenFile: join(folder, "token"),
      port: container.ports[0].containerPort,
    });
    expect((options.drainDelay! + options.shutdownTimeout!) / 1_000).toBeLessThan(
      spec.terminationGracePeriodSeconds,
    );
    if (name === "full")
      expect(options).toMatchObject({
        redis: "redis://cache:6379",
        redisPasswordFile: join(folder, "redis-password"),
        logLevel: "debug",
      });
    expect(deployment.spec.template.metadata.labels).toMatchObject(deployment.spec.selector.matchLabels);
    expect(parse(rendered["service.yaml"]!).spec.selector).toEqual(deployment.spec.selector.matchLabels);
  });

  test.each([
    ["plain", "HTTP"],
    ["tls", "HTTPS"],
  ])("the Helm chart's probe of /ready with %s values is %s", (name, scheme) => {
    const [container] = parse(checked.helm[name]!["deployment.yaml"]!).spec.template.spec.containers;
    expect(container.readinessProbe.httpGet).toEqual({ path: "/ready", port: "http", scheme });
  });

  test("fly.toml sends requests and checks to the gateway's port, and leaves time for shutdown", () => {
    const { http_service: service, env, kill_timeout: kill, kill_signal: signal } = checked.fly;
    const { options } = readSettings([], { ...env, WARMLINE_GATEWAY_TOKEN: "t" });
    expect(service.internal_port).toBe(8079);
    expect(service.checks.map(({ path }: any) => path)).toEqual(["/ready"]);
    expect(signal).toBe("SIGTERM");
    expect((options.drainDelay! + options.shutdownTimeout!) / 1_000).toBeLessThan(Number.parseInt(kill, 10));
  });
});
