import { Ajv, type AnySchema } from "ajv";

// The fields that Railway, Render and Fly.io document for their files, as far as a gateway may need them. None of the three has a
// linter that runs without an account.

const text = { type: "string", minLength: 1 };
const count = { type: "integer", minimum: 0 };
const flag = { type: "boolean" };
const duration = { type: "string", pattern: "^[0-9]+(ms|s|m)$" };
const oneOf = (...values: string[]) => ({ enum: values });
const fields = (properties: Record<string, AnySchema>, ...required: string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const list = (items: AnySchema) => ({ type: "array", items });

/** https://docs.railway.com/reference/config-as-code */
const railway = fields(
  {
    $schema: text,
    build: fields(
      {
        builder: oneOf("RAILPACK", "DOCKERFILE"),
        dockerfilePath: text,
        buildCommand: text,
        watchPatterns: list(text),
      },
      "builder",
    ),
    deploy: fields({
      startCommand: text,
      numReplicas: count,
      healthcheckPath: text,
      healthcheckTimeout: count,
      restartPolicyType: oneOf("ON_FAILURE", "ALWAYS", "NEVER"),
      restartPolicyMaxRetries: count,
    }),
  },
  "build",
  "deploy",
);

const renderVariable = {
  oneOf: [
    fields({ key: text, value: text }, "key", "value"),
    fields({ key: text, generateValue: { const: true } }, "key", "generateValue"),
    fields({ key: text, sync: { const: false } }, "key", "sync"),
    fields(
      {
        key: text,
        fromService: fields(
          {
            type: oneOf("web", "pserv", "worker", "keyvalue"),
            name: text,
            property: oneOf("host", "port", "hostport", "connectionString"),
          },
          "type",
          "name",
          "property",
        ),
      },
      "key",
      "fromService",
    ),
  ],
};

/** https://render.com/docs/blueprint-spec */
const render = fields(
  {
    services: list({
      oneOf: [
        fields(
          {
            type: { const: "keyvalue" },
            name: text,
            plan: text,
            region: text,
            maxmemoryPolicy: text,
            ipAllowList: list(fields({ source: text, description: text }, "source")),
          },
          "type",
          "name",
          "ipAllowList",
        ),
        fields(
          {
            type: oneOf("web", "pserv", "worker"),
            name: text,
            runtime: oneOf("image", "docker", "node"),
            image: fields({ url: text }, "url"),
            plan: text,
            region: text,
            numInstances: count,
            healthCheckPath: text,
            maxShutdownDelaySeconds: { type: "integer", minimum: 1, maximum: 300 },
            envVars: list(renderVariable),
          },
          "type",
          "name",
          "runtime",
        ),
      ],
    }),
  },
  "services",
);

/** https://fly.io/docs/reference/configuration/ */
const fly = fields(
  {
    app: text,
    primary_region: text,
    kill_signal: oneOf("SIGINT", "SIGTERM", "SIGQUIT"),
    kill_timeout: duration,
    build: fields({ image: text, dockerfile: text }),
    env: { type: "object", additionalProperties: text },
    http_service: fields(
      {
        internal_port: count,
        force_https: flag,
        auto_stop_machines: oneOf("off", "stop", "suspend"),
        auto_start_machines: flag,
        min_machines_running: count,
        concurrency: fields({ type: oneOf("connections", "requests"), soft_limit: count, hard_limit: count }),
        checks: list(
          fields({ method: text, path: text, interval: duration, timeout: duration, grace_period: duration }),
        ),
      },
      "internal_port",
    ),
    vm: list(fields({ size: text, memory: text, cpus: count, cpu_kind: oneOf("shared", "performance") })),
  },
  "app",
);

const SCHEMAS = { railway, render, fly };

/** Returns the violations of a platform's schema, as `path: message`; empty if there is none. */
export function violations(platform: keyof typeof SCHEMAS, file: unknown): string[] {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(SCHEMAS[platform]);
  validate(file);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
}
