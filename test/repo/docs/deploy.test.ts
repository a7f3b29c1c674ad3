import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { freePorts, makeCertificate } from "warmline-testbed";
import { parse, parseAllDocuments } from "yaml";
import { readSettings } from "../../../gateway/src/cli/settings.js";
import { environmentName, flags } from "../../../gateway/src/settings/flags.js";
import { CliProcess } from "../../integration/cli/cli-process.js";
import { newFolder } from "../../support/new-folder.js";

const root = resolve(import.meta.dirname, "../../..");
const deploy = join(root, "gateway/deploy");
const folder = newFolder("deploy");

const settings = new Set(["CONFIG", ...flags.map(({ name }) => name)].map((name) => environmentName(name)));
const isOurs = (name: string) => name.startsWith("WARMLINE_");

/** Returns the instructions of the Dockerfile by stage. Other lines must be comments or blank. */
function stages(): [word: string, rest: string][][] {
  const found: [string, string][][] = [];
  for (const line of readFileSync(join(deploy, "Dockerfile"), "utf8").split("\n")) {
    const [, word, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (word === undefined) expect(line).toMatch(/^(#.*)?$/);
    else if (word === "FROM") found.push([[word, rest!]]);
    else found.at(-1)!.push([word, rest!]);
  }
  return found;
}

const lastStage = stages().at(-1)!;
/** Returns the arguments of an instruction of the last stage. */
const argumentsOf = (word: string) => lastStage.find(([each]) => each === word)![1];
const environment = Object.fromEntries(
  argumentsOf("ENV")
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
);

async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

describe("the Dockerfile", () => {
  /** A folder with the files that the last stage copies. */
  const app = join(folder, "app");
  beforeAll(() => {
    for (const [word, rest] of lastStage) {
      if (word !== "COPY") continue;
      const [, list] = /^--from=build (.*)$/.exec(rest)!;
      const words = list!.split(" ");
      const target = words.pop()!;
      for (const source of words) {
        const file = join(root, source.replace("/src/", ""));
        expect(existsSync(file), source).toBe(true);
        cpSync(file, target === "./" ? join(app, source.split("/").at(-1)!) : join(app, target), {
          recursive: true,
        });
      }
    }
    chmodSync(folder, 0o755);
  });
  /** Runs as the user `nobody`, if this process may switch to it. */
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  /** Runs the image's program with these variables. */
  const run = (variables: NodeJS.ProcessEnv) => {
    const [program, file] = JSON.parse(argumentsOf("ENTRYPOINT")) as string[];
    expect(program).toBe("node");
    return new CliProcess([], { ...environment, ...variables }, { cwd: app, ...user }, file!);
  };
  /** Runs the health check with these variables, and returns its status. */
  const health = (variables: NodeJS.ProcessEnv) => {
    const [check, ...words] = JSON.parse(/CMD (\[.*\])$/.exec(argumentsOf("HEALTHCHECK"))![1]!) as string[];
    expect(check).toBe("node");
    return spawnSync(process.execPath, words, { env: variables }).status;
  };

  test("the Dockerfile has a user, a health check, and settings that exist", () => {
    expect(argumentsOf("USER")).toBe("1000");
    expect(
      Object.keys(environment)
        .filter(isOurs)
        .filter((name) => !settings.has(name)),
    ).toEqual([]);
    expect(stages()[0]!.map(([word]) => word)).toEqual(["FROM", "WORKDIR", "COPY", "RUN"]);
    expect(argumentsOf("FROM")).toBe(stages()[0]![0]![1].replace(/--platform=\S+ | AS .*/g, ""));
  });

  test("the image does not start without a token; with one it starts, is healthy and stops", async () => {
    const port = { WARMLINE_GATEWAY_PORT: String(await freePort()) };
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, "a-token\n");
    const bare = run(port);
    expect(await bare.ended).toBe(2);
    expect(bare.stderr).toMatch(/--token: must be given to listen beyond loopback/);

    const settings = { WARMLINE_GATEWAY_TOKEN_FILE: tokenFile, WARMLINE_GATEWAY_ENGINE: "embedded" };
    const gateway = run({ ...port, ...settings });
    await gateway.printed(/^warmline-gateway ready/);
    expect(gateway.stdout + gateway.stderr).not.toContain("a-token");
    expect(health(port)).toBe(0);
    expect(await gateway.stop()).toBe(0);
    expect(health(port)).toBe(1);
  });

  test("the image is healthy with TLS", async () => {
    const certificate = makeCertificate();
    const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    writeFileSync(cert, certificate.cert);
    writeFileSync(key, certificate.key);
    certificate.remove();
    const variables = {
      WARMLINE_GATEWAY_PORT: String(await freePort()),
      WARMLINE_GATEWAY_TLS_CERT: cert,
      WARMLINE_GATEWAY_TLS_KEY: key,
    };
    const gateway = run({
      ...variables,
      WARMLINE_GATEWAY_TOKEN: "a-token",
      WARMLINE_GATEWAY_ENGINE: "embedded",
    });
    await gateway.printed(/^warmline-gateway ready https:/);
    expect(health(variables)).toBe(0);
    expect(await gateway.stop()).toBe(0);
    expect(health(variables)).toBe(1);
  });
});

describe("the Kubernetes example", () => {
  const documents = parseAllDocuments(readFileSync(join(deploy, "kubernetes.yaml"), "utf8"));
  const objects = documents.map((document) => document.toJS());
  const one = (kind: string) => objects.find((each) => each.kind === kind);

  test("the Kubernetes example is well-formed, and its names match", () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const { spec } = one("Deployment").spec.template;
    const [container] = spec.containers;
    expect(one("Deployment").spec.selector.matchLabels).toEqual(
      one("Deployment").spec.template.metadata.labels,
    );
    for (const kind of ["Service", "PodDisruptionBudget"]) {
      const selector = one(kind).spec.selector.matchLabels ?? one(kind).spec.selector;
      expect(selector).toEqual(one("Deployment").spec.selector.matchLabels);
    }
    const volumes = new Map(spec.volumes.map((each: any) => [each.name, each]));
    for (const { name } of container.volumeMounts) expect(volumes.has(name)).toBe(true);
    expect(spec.enableServiceLinks).toBe(false);
    expect(spec.securityContext.runAsNonRoot).toBe(true);
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
    const { readinessProbe, livenessProbe, ports } = container;
    expect(readinessProbe.httpGet.path).toBe("/ready");
    const requested = [readinessProbe.httpGet, livenessProbe.tcpSocket].map(({ port }) => port);
    const served = one("Service").spec.ports.map((each: any) => each.targetPort);
    for (const port of [...requested, ...served]) expect(ports.map(({ name }: any) => name)).toContain(port);
    const [flag, config] = container.args;
    expect(flag).toBe("--config");
    const mount = container.volumeMounts.find((each: any) => config.startsWith(`${each.mountPath}/`));
    expect(spec.volumes.find((each: any) => each.name === mount.name).configMap.name).toBe(
      one("ConfigMap").metadata.name,
    );
    expect(Object.keys(one("ConfigMap").data)).toContain(config.slice(mount.mountPath.length + 1));
    // The comment at the top of the file has the command that creates the Secret.
    const { secretName } = spec.volumes.find((each: any) => each.secret).secret;
    const head = readFileSync(join(deploy, "kubernetes.yaml"), "utf8").split("apiVersion")[0]!;
    const [, secret, flags] = /kubectl create secret generic (\S+) \\\n#([^\n]*)/.exec(head)!;
    expect(secret).toBe(secretName);
    for (const [, key] of flags!.matchAll(/--from-(?:file|literal)=([\w.-]+)/g))
      expect(one("ConfigMap").data["gateway.yaml"]).toContain(`/${key}\n`);
  });

  test("the Kubernetes example uses settings that exist, and leaves time for shutdown", () => {
    const { spec } = one("Deployment").spec.template;
    const [container] = spec.containers;
    let text: string = one("ConfigMap").data["gateway.yaml"];
    const secrets = container.volumeMounts.find((each: any) => each.name === "secrets").mountPath;
    for (const [name, content] of Object.entries({
      "redis-password": "p",
      "tokens.yaml": "- { name: app, token: x }",
    })) {
      writeFileSync(join(folder, name), content);
      expect(text).toContain(`${secrets}/${name}`);
    }
    text = text.replaceAll(secrets, folder);
    const config = join(folder, "gateway.yaml");
    writeFileSync(config, text);
    const { options } = readSettings(["--config", config], {});
    expect(options).toMatchObject({
      host: "0.0.0.0",
      redis: "redis://redis:6379",
      redisPasswordFile: join(folder, "redis-password"),
    });
    expect(options.port).toBe(container.ports[0].containerPort);
    expect(options.drainDelay).toBeGreaterThanOrEqual(5_000);
    expect((options.drainDelay! + options.shutdownTimeout!) / 1_000).toBeLessThan(
      spec.terminationGracePeriodSeconds,
    );
  });
});

const texts = new Map(
  readdirSync(deploy, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(yaml|toml|json|sh)$|Dockerfile$/.test(name))
    .map((name) => [name, readFileSync(join(deploy, name), "utf8")]),
);

test("every WARMLINE_GATEWAY_ variable in a deploy file is a setting", () => {
  const found = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/\bWARMLINE_GATEWAY_\w+/g)].map(([name]) => [file, name] as const),
  );
  expect(new Set(found.map(([file]) => file)).size).toBeGreaterThan(6);
  expect(found.filter(([, name]) => !settings.has(name))).toEqual([]);
});

// A closing gateway fails /ready while it is still alive, so the load balancer stops sending to it.
test.each(["fly.toml", "railway.json", "render.yaml", "cloud-run.yaml", "ecs.yaml", "kubernetes.yaml"])(
  "%s checks /ready",
  (file) => {
    expect(texts.get(file)).toMatch(
      /"?(path|healthcheckPath|healthCheckPath|HealthCheckPath)"?\s*[:=] "?\/ready\b/,
    );
  },
);

test.each([
  ["ecs.yaml", /^ {2}Tasks:\n(?: {4}.*\n)* {4}Default: 2\n/m],
  ["kubernetes.yaml", /^ {2}replicas: 2$/m],
  ["helm/values.yaml", /^replicas: 2$/m],
  // With minAvailable and one replica, a node could not be drained.
  ["kubernetes.yaml", /^ {2}maxUnavailable: 1$/m],
  ["helm/values.yaml", /^ {2}maxUnavailable: 1$/m],
  ["fly.toml", /^ {2}auto_stop_machines = "off"$/m],
  ["cloud-run.yaml", /^ {8}run.googleapis.com\/cpu-throttling: "false"$/m],
  ["cloud-run.yaml", /^ {6}timeoutSeconds: 3600$/m],
])("%s runs the gateway as docs/deploy.md says", (file, line) => {
  expect(texts.get(file)).toMatch(line);
});

const seconds = (duration: string) => Number.parseInt(duration, 10);

test("render.yaml gives the gateway its Redis, a token and a port", () => {
  const { services } = parse(texts.get("render.yaml")!);
  const [redis, web] = services;
  expect(redis).toMatchObject({ type: "keyvalue", ipAllowList: [] });
  const env = new Map<string, any>(web.envVars.map((each: any) => [each.key, each]));
  expect(env.get("WARMLINE_GATEWAY_REDIS").fromService).toEqual({
    type: redis.type,
    name: redis.name,
    property: "connectionString",
  });
  expect(env.get("WARMLINE_GATEWAY_TOKEN").generateValue).toBe(true);
  expect(env.get("PORT").value).toBe("8079");
  const stop = ["DRAIN_DELAY", "SHUTDOWN_TIMEOUT"].map((name) => env.get(`WARMLINE_GATEWAY_${name}`).value);
  expect(stop.reduce((sum, each) => sum + seconds(each), 0)).toBeLessThan(web.maxShutdownDelaySeconds);
});

test("cloud-run.yaml takes its secrets from Secret Manager, and stops within 10 s", () => {
  const { spec } = parse(texts.get("cloud-run.yaml")!).spec.template;
  const [{ env, ports, startupProbe }] = spec.containers;
  const secrets = env.filter(({ valueFrom }: any) => valueFrom);
  expect(secrets.map(({ name }: any) => name)).toEqual(["WARMLINE_GATEWAY_TOKEN", "WARMLINE_GATEWAY_REDIS"]);
  // The commands at the top of the file create these secrets.
  for (const { valueFrom } of secrets)
    expect(texts.get("cloud-run.yaml")).toContain(`gcloud secrets create ${valueFrom.secretKeyRef.name} `);
  const timeout = env.find(({ name }: any) => name === "WARMLINE_GATEWAY_SHUTDOWN_TIMEOUT").value;
  expect(seconds(timeout)).toBeLessThan(10);
  expect(startupProbe.httpGet.port).toBe(ports[0].containerPort);
});

test("ecs.yaml keeps connections longer than its load balancer, and leaves time for shutdown", () => {
  const customTags = ["!Ref", "!Sub", "!GetAtt"].map((tag) => ({ tag, resolve: (value: string) => value }));
  const { Resources: resources } = parse(texts.get("ecs.yaml")!, { customTags });
  const [container] = resources.TaskDefinition.Properties.ContainerDefinitions;
  const env = Object.fromEntries(container.Environment.map(({ Name, Value }: any) => [Name, Value]));
  const [idle] = resources.Balancer.Properties.LoadBalancerAttributes;
  expect(idle.Key).toBe("idle_timeout.timeout_seconds");
  // The gateway's default is 310 s: longer than an idle function instance lives, so its connection stays warm.
  expect(Number(idle.Value)).toBeGreaterThan(310);
  expect(seconds(env.WARMLINE_GATEWAY_KEEP_ALIVE_TIMEOUT)).toBeGreaterThan(Number(idle.Value));
  const [delay] = resources.TargetGroup.Properties.TargetGroupAttributes;
  expect(seconds(env.WARMLINE_GATEWAY_DRAIN_DELAY)).toBeGreaterThanOrEqual(Number(delay.Value));
  const stop = seconds(env.WARMLINE_GATEWAY_DRAIN_DELAY) + seconds(env.WARMLINE_GATEWAY_SHUTDOWN_TIMEOUT);
  expect(stop).toBeLessThan(container.StopTimeout);
  const secrets = container.Secrets.map(({ Name }: any) => Name);
  expect(secrets).toEqual(["WARMLINE_GATEWAY_TOKEN", "WARMLINE_GATEWAY_REDIS"]);
});
