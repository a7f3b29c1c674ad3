import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { makeCertificate } from "warmline-testbed";
import { readSettings } from "../../../gateway/src/cli/settings.js";
import { UsageError } from "../../../gateway/src/cli/usage-error.js";
import { nearest } from "../../../gateway/src/config/nearest.js";
import { environmentName, type Flag, flags } from "../../../gateway/src/settings/flags.js";
import type { KindName } from "../../../gateway/src/settings/kinds.js";
import { resolveSettings } from "../../../gateway/src/settings/options.js";
import { newFolder } from "../../support/new-folder.js";

const folder = newFolder("settings");
let files = 0;
function file(text: string): string {
  const path = join(folder, `${files++}.yaml`);
  writeFileSync(path, text);
  return path;
}

const secretFile = file("s3cret\n");
const certificate = makeCertificate();
afterAll(() => certificate.remove());
const [redisCertFile, redisKeyFile] = [file(certificate.cert), file(certificate.key)];
const tokensFile = file("- { name: a, token: b }\n");

/** A sample for each kind of setting: its text, and the value that the text is parsed to. */
const byKind: Record<KindName, [text: string, value: unknown]> = {
  text: ["some-text", "some-text"],
  integer: ["7", 7],
  bytes: ["3kb", 3_072],
  ms: ["2s", 2_000],
  switch: ["false", false],
  choice: ["primary", "primary"],
  structure: ['[{ name: "a", token: "b" }]', [{ name: "a", token: "b" }]],
  list: ["https://a.test, https://b.test", ["https://a.test", "https://b.test"]],
};
/** Samples for settings that do not take the sample of their kind. */
const byName: Record<string, [text: string, value: unknown]> = {
  host: ["127.0.0.2", "127.0.0.2"],
  redis: ["redis://a.test:7000", "redis://a.test:7000"],
  allowCommand: ["config get, DEBUG", ["config get", "DEBUG"]],
  logLevel: ["error", "error"],
  allowedHosts: ["a.test, b.test", ["a.test", "b.test"]],
  tokenFile: [secretFile, secretFile],
  tokensFile: [tokensFile, tokensFile],
  redisPasswordFile: [secretFile, secretFile],
  redisCa: [redisCertFile, redisCertFile],
  redisCert: [redisCertFile, redisCertFile],
  redisKey: [redisKeyFile, redisKeyFile],
  redisAuth: ["aws-iam", "aws-iam"],
  readPolicy: ["any", "any"],
};
function sampleOf({ option, setting }: Flag): [text: string, value: unknown] {
  return byName[option] ?? byKind[setting.kind.name];
}

/** `redisAuth` needs a URL with a user and the host of an AWS cache. */
const SERVERLESS = "rediss://app@orders-a1b2c3.serverless.use1.cache.amazonaws.com";

/** For each option that needs another one: the environment variable that sets the other one. */
const beside: Record<string, NodeJS.ProcessEnv> = {
  tlsCert: { WARMLINE_GATEWAY_TLS_KEY: "key.pem" },
  tlsKey: { WARMLINE_GATEWAY_TLS_CERT: "cert.pem" },
  redisCert: { WARMLINE_GATEWAY_REDIS_KEY: redisKeyFile },
  redisKey: { WARMLINE_GATEWAY_REDIS_CERT: redisCertFile },
  redisPasswordFile: { WARMLINE_GATEWAY_REDIS: "redis://a.test" },
  redisAuthCommand: { WARMLINE_GATEWAY_REDIS: "redis://a.test" },
  redisAuth: { WARMLINE_GATEWAY_REDIS: SERVERLESS },
};

function optionOf(argv: string[], environment: NodeJS.ProcessEnv, option: string): unknown {
  const { options } = readSettings(argv, { ...beside[option], ...environment });
  return options[option as keyof typeof options];
}

const everyFlag = flags.map((flag) => [flag.name, flag] as const);

describe("every option of the gateway", () => {
  test.each([
    [{ tokn: "x" }, /^tokn: there is no such option$/],
    [{ redis: "redis://localhost", engine: "auto" }, /^engine, redis: /],
    [{ port: 70_000 }, /^port: .*65535/],
    [{ maxBodySize: 0 }, /^maxBodySize: /],
    [{ commandTimeout: Number.NaN }, /^commandTimeout: /],
    [{ host: "::" }, /^token: .*beyond loopback/],
    [{ token: "two words" }, /^token: /],
  ])("the error for the options %j begins with the option to change", (options, message) => {
    expect(() => resolveSettings(options as object)).toThrow(message);
  });

  test.each(flags.map((flag) => [flag.option, flag] as const))(
    "the error for a wrong type of the option %s begins with its name",
    (option) => {
      for (const wrong of [{ wrong: true }, null, Symbol("wrong")])
        expect(() => resolveSettings({ [option]: wrong })).toThrow(new RegExp(`^${option}: `));
    },
  );

  test.each(flags.filter(({ range }) => range !== "").map((flag) => [flag.option, flag] as const))(
    "the option %s has a default within its range",
    (option) => {
      const { [option as "port"]: value } = resolveSettings({});
      expect(resolveSettings({ [option]: value })).toMatchObject({ [option]: value });
    },
  );

  test.each(everyFlag)("the option %s is set by a flag", (name, flag) => {
    const [text, value] = sampleOf(flag);
    const argv = flag.setting.kind.name === "switch" ? [`--no-${name}`] : [`--${name}`, text];
    expect(optionOf(argv, {}, flag.option)).toEqual(value);
  });

  test.each(everyFlag)("the option %s is set by the environment", (name, flag) => {
    const [text, value] = sampleOf(flag);
    expect(optionOf([], { [environmentName(name)]: text }, flag.option)).toEqual(value);
  });

  test.each(everyFlag)("the option %s is set by a file, as YAML and as JSON", (_, flag) => {
    const [text, value] = sampleOf(flag);
    for (const form of [value, text]) {
      const json = file(JSON.stringify({ [flag.option]: form }));
      expect(optionOf(["--config", json], {}, flag.option)).toEqual(value);
      const yaml = file(`# a comment\n${flag.option}: ${JSON.stringify(form)}\n`);
      expect(optionOf([], { WARMLINE_GATEWAY_CONFIG: yaml }, flag.option)).toEqual(value);
    }
  });

  test.each(everyFlag)("the error for a wrong value of %s names its line or variable", (name, flag) => {
    const used = file(`# a comment\n\n${flag.option}: { wrong: true }\n`);
    expect(() => readSettings(["--config", used], {})).toThrow(UsageError);
    expect(() => readSettings(["--config", used], {})).toThrow(`${used}: line 3: ${flag.option}: `);
    if (["text", "choice", "list"].includes(flag.setting.kind.name)) return;
    const wrong = { [environmentName(name)]: "wrong" };
    expect(() => readSettings([], wrong)).toThrow(`${environmentName(name)}: `);
  });

  test("a list option may be repeated", () => {
    expect(optionOf(["--cors", "https://a.test", "--cors", "https://b.test"], {}, "cors")).toEqual([
      "https://a.test",
      "https://b.test",
    ]);
  });
});

test.each([
  ["- { name: a, token: some-token }"],
  ["- name: a\n  token: some-token"],
  ['[{"name":"a","token":"some-token"}]'],
])("--tokens takes the list %j as YAML or JSON", (list) => {
  expect(optionOf([`--tokens=${list}`], {}, "tokens")).toEqual([{ name: "a", token: "some-token" }]);
});

// Settings that take a path are left out: their error names the path.
test.each(flags.filter(({ placeholder }) => placeholder !== "<file>").map(({ variable }) => variable))(
  "an error about %s does not repeat its value",
  (variable) => {
    for (const value of [
      "Hidden-1/x:*",
      "hidden2*,hidden2",
      "[{hidden3: 1}]",
      "redis+hidden4://u:p@h/x=y",
      "hidden5=redis+hidden://x",
    ]) {
      let message = "";
      try {
        const { options } = readSettings([], { [variable]: value });
        resolveSettings(options);
      } catch (error) {
        ({ message } = error as Error);
      }
      expect(message.toLowerCase()).not.toContain("hidden");
    }
  },
);

describe("origins and hosts", () => {
  test.each([
    ["cors", "app.example", "entry 1 must be an origin, such as https://app.example"],
    ["cors", "https://app.example/", "entry 1 must be an origin alone, without a path"],
    [
      "cors",
      "https://App.example:443",
      "entry 1 must be an origin alone, without a path or a default port, in lower case",
    ],
    ["cors", "https://", "entry 1 must be an origin"],
    ["allowed-hosts", "Box.example", "entry 1 must be a name in lower case, without scheme and port"],
    ["allowed-hosts", "box.example:8079", "entry 1 must be a name in lower case, without scheme and port"],
    ["allowed-hosts", "http://box.example", "entry 1 must be a name in lower case, without scheme and port"],
  ])("a value that no browser sends is refused: --%s %s", (flag, value, message) => {
    expect(() => readSettings([`--${flag}`, value], {})).toThrow(message);
  });

  test.each([
    ["cors", ["*", "null", "https://app.example", "http://[::1]:3000", "capacitor://localhost"]],
    ["allowed-hosts", ["box.example", "fd00::1", "my_box"]],
  ])("values that browsers send are accepted: --%s", (flag, values) => {
    const args = values.flatMap((value) => [`--${flag}`, value]);
    expect(() => readSettings(args, {})).not.toThrow();
  });
});

describe("a config file", () => {
  test("a failed check of the gateway is reported with the line of the config file", () => {
    const path = file("port: 70000\nhost: 127.0.0.1\n");
    expect(() => readSettings(["--config", path], {})).toThrow(
      `config file ${path}: line 1: port: must be a whole number from 0 to 65535`,
    );
  });

  test.each([
    ["max_body_size: 1", /line 1: there is no setting "max_body_size"; did you mean "maxBodySize"\?/],
    ["port: 1\nprot: 2", /line 2: there is no setting "prot"; did you mean "port"\?/],
    ["zzzzzzzz: 2", /line 1: there is no such setting; --help lists all/],
    ["{ port: 1, token:secret }", /line 1: there is no such setting; --help lists all/],
    ["tokens:\n- { name: a, token:secret }", /line 2: tokens\[0\]: has an unknown field/],
    ["port: 1\nport: 2", /line 2, column 1: not valid YAML or JSON \(duplicate key\)/],
    ["- port", /it must hold settings by name/],
    ["token: 0123456789", /line 1: token: must be a string; put a number in quotes$/],
    ['token: "secret\n', /not valid YAML or JSON/],
  ])("the config file %j is refused at its line", (text, message) => {
    const path = file(text);
    expect(() => readSettings(["--config", path], {})).toThrow(message);
    expect(() => readSettings(["--config", path], {})).toThrow(`config file ${path}: `);
    expect(() => readSettings(["--config", path], {})).not.toThrow(/secret/);
  });

  test("a config file may be empty", () => {
    expect(readSettings(["--config", file("")], {}).options.port).toBeUndefined();
  });
});

test("a mistake in a list of tokens is reported with its source and its entry", () => {
  const list = "[{ name: a, token: x }, { name: b, token: hush, role: hush }]";
  const message = "[1].role: must be one of admin, standard, read-only, metrics";
  expect(() => readSettings([], { WARMLINE_GATEWAY_TOKENS: list })).toThrow(
    `WARMLINE_GATEWAY_TOKENS${message}`,
  );
  expect(() => readSettings([`--tokens=${list}`], {})).toThrow(`--tokens${message}`);
  const tokensFile = file("- { name: a, tokenFile: /not/there }");
  expect(() => readSettings(["--tokens-file", tokensFile], {})).toThrow(
    "--tokens-file: /not/there: there is no such file",
  );
  expect(() => readSettings(["--tokens", "- { name: a, token: x }"], {})).toThrow(
    "option '--tokens' argument is ambiguous; put = before a value that begins with a dash, as in --tokens=...",
  );
});

describe("variables of the environment", () => {
  test.each([
    [
      "WARMLINE_GATEWAY_TOKENS_FIEL",
      /: there is no such setting; did you mean WARMLINE_GATEWAY_TOKENS_FILE\?$/,
    ],
    ["WARMLINE_GATEWAY_ZZZZZZZZZZZZZZZZZZZ", /: there is no such setting; --help lists all settings$/],
  ])("the unknown variable %s is refused", (name, message) => {
    expect(() => readSettings([], { [name]: "s3cret" })).toThrow(message);
    expect(() => readSettings([], { [name]: "s3cret" })).toThrow(name);
    expect(() => readSettings([], { [name]: "s3cret" })).not.toThrow(/s3cret/);
  });

  test("variables that Kubernetes sets for a Service are not settings", () => {
    const names =
      "SERVICE_HOST SERVICE_PORT SERVICE_PORT_HTTP PORT_8079_TCP PORT_8079_TCP_PROTO PORT_8079_TCP_ADDR";
    const services = ["WARMLINE_GATEWAY", "WARMLINE_GATEWAY_METRICS"];
    const links = services.flatMap((service) =>
      names.split(" ").map((name) => [`${service}_${name}`, "10.0.0.1"]),
    );
    const environment = {
      ...Object.fromEntries(links),
      WARMLINE_GATEWAY_METRICS_PORT: "tcp://10.0.0.1:9090",
    };
    expect(() => readSettings([], environment)).not.toThrow();
  });

  test("a variable with a URL is not taken for one of Kubernetes", () => {
    expect(() => readSettings([], { WARMLINE_GATEWAY_REDIS_URL: "redis://:s3cret@db" })).toThrow(
      /^WARMLINE_GATEWAY_REDIS_URL: there is no such setting; did you mean WARMLINE_GATEWAY_REDIS\?$/,
    );
  });

  test("an empty variable counts as not set, and a blank one is refused", () => {
    expect(readSettings([], { WARMLINE_GATEWAY_PORT: "" }).options.port).toBeUndefined();
    expect(() => readSettings([], { WARMLINE_GATEWAY_TOKEN: " " })).toThrow(
      /^WARMLINE_GATEWAY_TOKEN: is empty$/,
    );
  });
});

describe("a setting that would have no effect beside another", () => {
  test.each([
    [["--log-requests"], /^--log-requests: needs logLevel info or debug/],
    [["--slow-log", "1s", "--log-level", "error"], /^--slow-log: needs logLevel warn, info or debug/],
    [
      ["--host", "0.0.0.0", "--token", "t", "--allowed-hosts", "a.test"],
      /^--allowed-hosts: applies only to a loopback/,
    ],
  ])("the settings %j are refused together", (argv, message) => {
    expect(() => readSettings(argv, {})).toThrow(message);
  });

  test("logs of requests are accepted at a level that shows them", () => {
    expect(() =>
      readSettings(["--log-requests", "--slow-log", "1s", "--log-level", "info"], {}),
    ).not.toThrow();
    expect(() => readSettings(["--slow-log", "1s"], {})).not.toThrow();
  });
});

describe("secrets of Redis in files", () => {
  const redisOf = (...argv: string[]) => readSettings(argv, {}).options.redis;

  test("the password of Redis may come from a file or a program", () => {
    const set = ["--redis-password-file", file("hush")];
    for (const url of ["redis://a.test", "rediss://ann@a.test", "redis+sentinel://ann@a.test/main"])
      expect(redisOf("--redis", url, ...set)).toBe(url);
    expect(redisOf("--redis", "redis://ann@a.test", "--redis-auth-command", "/bin/print")).toBeDefined();
  });

  test.each([
    [["--redis", "redis://:x@a.test", "--redis-password-file", "FILE"], /already has a password/],
    [["--redis-password-file", "FILE"], /^--redis-password-file: needs the URL of a Redis/],
    [
      ["--redis", "redis://a.test", "--redis-password-file", "/no/such"],
      /^--redis-password-file: \/no\/such: there is no/,
    ],
    [
      ["--redis", "redis://a.test", "--redis-password-file", "EMPTY"],
      /^--redis-password-file: .*: the file is empty/,
    ],
    [
      ["--redis", "redis://ann@a.test"],
      /^--redis: the URL has a user but no password; .* set redisPasswordFile/,
    ],
    [
      ["--redis", "redis://a.test", "--redis-password-file", "FILE", "--redis-auth-command", "p"],
      /give one of them/,
    ],
    [
      ["--redis", "redis://a.test", "--redis-auth", "aws-iam"],
      /^--redis-auth: aws-iam needs a user in the URL/,
    ],
    [
      ["--redis", "redis://a@a.test", "--redis-auth", "aws-iam"],
      /^--redis: \?awsService= in the URL must be elasticache or memorydb/,
    ],
  ])("%j is refused, without repeating a secret", (argv, message) => {
    const paths: Record<string, string> = { FILE: file("hush"), EMPTY: file("\n") };
    const used = argv.map((word) => paths[word] ?? word);
    expect(() => readSettings(used, {})).toThrow(message);
    expect(() => readSettings(used, {})).not.toThrow(/hush|:x@/);
  });
});

test("the most similar name is suggested for a misspelt one", () => {
  const known = ["maxBodySize", "port", "host", "keepAliveTimeout"];
  expect(
    ["maxbodysize", "prot", "keep-alive-timeout", "hosts", "qqqqqq"].map((name) => nearest(name, known)),
  ).toEqual(["maxBodySize", "port", "keepAliveTimeout", "host", undefined]);
});
