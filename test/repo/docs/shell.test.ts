import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "warmline-gateway/testing";
import { blocksIn, blocksOf } from "./pages.js";
import { commandsOf, problemOf } from "./shell.js";

// Every command that a page shows for a terminal.

const blocks = blocksIn("sh");

test.each(blocks.map((block) => [`${block.page}:${block.line}`, block] as const))(
  "%s names programs, scripts, packages and flags that exist",
  (_, block) => {
    const commands = commandsOf(block);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expect(problemOf(command), command).toBeNull();
  },
);

test("a name that does not exist is reported", () => {
  const page = [
    "```sh",
    "npm run nonsense",
    "npx warmline-gateway --prot 1 # a comment",
    "npm install lodash",
    "nonsense --flag",
    "npm run bench -- keepalives",
    "npm run bench -- cold --quik",
  ];
  const [block] = blocksOf("page.md", [...page, "npx vitest run test/none.test.ts", "```"].join("\n"));
  expect(commandsOf(block!).map(problemOf)).toEqual([
    "there is no script 'nonsense'",
    expect.stringContaining("--prot"),
    "nothing here knows the package 'lodash'",
    "nothing here knows the program 'nonsense'",
    expect.stringContaining("keepalives"),
    expect.stringContaining("--quik"),
    "there is no test/none.test.ts",
  ]);
});

test.each<[command: string, problem: string]>([
  ["docker compose -f gateway/deploy/compse up", "there is no file 'gateway/deploy/compse'"],
  ["docker run ghcr.io/warmline/gateway", "there is no image 'ghcr.io/warmline/gateway'"],
  [
    "docker run -e WARMLINE_GATEWAY_REDIZ=a ghcr.io/warmline/warmline-gateway",
    "setting 'WARMLINE_GATEWAY_REDIZ'",
  ],
  ["helm install gateway oci://ghcr.io/warmline/charts/gateway", "there is no chart"],
  ["helm install gateway --set existingSecrets=a", "there is no value 'existingSecrets'"],
  ["helm install gateway --set settings.reddis=a", "there is no value 'settings.reddis'"],
  ["helm install gateway --set settings.token=a", "there is no value 'settings.token'"],
  ["kubectl apply -f gateway/deploy/kubernetes.yml", "there is no file 'gateway/deploy/kubernetes.yml'"],
  ["kubectl create secret generic warmline --from-literal=tokn=a", "there is no key 'tokn'"],
  [
    "kubectl create secret generic warmline-gateway --from-file=tokens.yaml",
    "there is no value for the key 'redis-password'",
  ],
  ["fly deploy --config gateway/deploy/fly.tml", "there is no file 'gateway/deploy/fly.tml'"],
  ["fly secrets set WARMLINE_GATEWAY_TOKN=a", "there is no setting 'WARMLINE_GATEWAY_TOKN'"],
  ["gcloud run services replace gateway/deploy/run.yaml", "there is no file 'gateway/deploy/run.yaml'"],
  ["printf a | gcloud secrets create warmline --data-file=-", "there is no secret 'warmline'"],
  ["aws cloudformation deploy --template-file gateway/ecs.yaml", "there is no file 'gateway/ecs.yaml'"],
  ["aws cloudformation deploy --parameter-overrides Vpc=vpc-0", "there is no parameter 'Vpc'"],
  ["aws cloudformation deploy --parameter-overrides VpcId=vpc-0", "the parameter 'PublicSubnets' is missing"],
  ["aws secretsmanager get-secret-value --secret-id warmline/token", "there is no secret 'warmline/token'"],
  ["tar xzf warmline-gateway-0.1.0-linux-arm.tar.gz", "there is no archive"],
  ["curl -LO https://github.com/warmline/warmline/releases/download/v0/a.tar.gz", "there is no download"],
  ["git clone https://github.com/warmline/gateway", "there is no repository"],
  ["cp -r node_modules/warmline/skill .", "there is no file of the package"],
])("a wrong name in a platform's command is reported: %s", (command, problem) => {
  expect(problemOf(command)).toContain(problem);
});

describe("curl, as the pages call it", () => {
  const commands = blocks
    .flatMap((block) => commandsOf(block).map((command) => ({ at: `${block.page}:${block.line}`, command })))
    .filter(({ command }) => /^curl .*http:\/\/(127\.0\.0\.1|localhost):8079/.test(command));
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  test.skipIf(commands.length === 0).each(commands)(
    "$at: $command prints what the page shows",
    async ({ command }) => {
      const here = command.replace(/http:\/\/(127\.0\.0\.1|localhost):8079/, gateway.url);
      const ran = await promisify(execFile)("sh", ["-c", `${here} --fail --silent --max-time 5`], {
        env: { ...process.env, ...gateway.env, TOKEN: gateway.token },
      });
      expect(ran.stdout).not.toBe("");
    },
  );
});
