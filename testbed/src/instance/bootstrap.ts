/**
 * The program of a function instance's child process. It loads the handler once, then fetches invocations from the Runtime
 * API and runs them one after another. Its requests use a separate agent, since the handler's connections are counted.
 */
import { existsSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

type Handler = (event: unknown, context: object) => unknown;

const base = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

let runningId: string | undefined;
let begunAt = 0n;

interface RuntimeResponse {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

function call(
  method: "GET" | "POST",
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<RuntimeResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(`${base}/${path}`, { method, agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part) => {
        text += part;
      });
      response.on("end", () => resolve({ headers: response.headers, body: text }));
      response.on("error", reject);
    });
    sent.setNoDelay(true);
    sent.on("error", reject);
    sent.end(body);
  });
}

function describe(error: unknown, type?: string): string {
  if (!(error instanceof Error)) {
    return JSON.stringify({ errorType: type ?? typeof error, errorMessage: String(error), trace: [] });
  }
  return JSON.stringify({
    errorType: type ?? error.name,
    errorMessage: error.message,
    trace: error.stack?.split("\n") ?? [],
  });
}

class InitError extends Error {
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

async function load(): Promise<Handler> {
  const root = process.env.LAMBDA_TASK_ROOT!;
  const [module, name] = process.env._HANDLER!.split(".") as [string, string];
  const file = ["", ".js", ".mjs", ".cjs"]
    .map((end) => join(root, module + end))
    .find((path) => existsSync(path));
  if (file === undefined) throw new InitError("Runtime.ImportModuleError", `Cannot find module '${module}'`);
  const loaded: Record<string, any> = await import(pathToFileURL(file).href);
  const handler = loaded[name] ?? loaded.default?.[name];
  if (typeof handler !== "function")
    throw new InitError("Runtime.HandlerNotFound", `${process.env._HANDLER} is undefined or not exported`);
  return handler;
}

function createContext(headers: RuntimeResponse["headers"]): object {
  const deadline = Number(headers["lambda-runtime-deadline-ms"]);
  return {
    awsRequestId: String(headers["lambda-runtime-aws-request-id"]),
    invokedFunctionArn: String(headers["lambda-runtime-invoked-function-arn"]),
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(deadline - Date.now(), 0),
  };
}

const spent = (since: bigint): string => String(process.hrtime.bigint() - since);

async function fatal(error: unknown, type: string, exitCode: number): Promise<never> {
  const path = runningId === undefined ? "init/error" : `invocation/${runningId}/error`;
  const headers: Record<string, string> =
    runningId === undefined ? {} : { "Testbed-Duration-Ns": spent(begunAt) };
  // If the parent has exited too, there is no process to report to.
  await call("POST", path, describe(error, type), headers).catch(() => {});
  process.exit(exitCode);
}

process.on("uncaughtException", (error) => void fatal(error, error.name, 129));
process.on("unhandledRejection", (reason) => void fatal(reason, "Runtime.UnhandledPromiseRejection", 128));
// The event loop is empty, so nothing can settle the handler's promise.
process.on("beforeExit", () => {
  if (runningId === undefined) return;
  void fatal(new Error("The event loop is empty and the handler has not finished."), "Runtime.NodeJsExit", 0);
});

const loadBegunAt = process.hrtime.bigint();
let handler: Handler;
try {
  handler = await load();
} catch (error) {
  await call("POST", "init/error", describe(error, error instanceof InitError ? error.type : undefined));
  process.exit(1);
}
let loadSpent: string | undefined = spent(loadBegunAt);

for (;;) {
  const headers: Record<string, string> = loadSpent ? { "Testbed-Load-Ns": loadSpent } : {};
  loadSpent = undefined;
  // The parent has ended.
  const next = await call("GET", "invocation/next", undefined, headers).catch(() => process.exit(0));
  const event = JSON.parse(next.body);
  const context = createContext(next.headers);
  runningId = String(next.headers["lambda-runtime-aws-request-id"]);
  let body: string;
  let outcome: "response" | "error" = "response";
  begunAt = process.hrtime.bigint();
  let duration: string;
  try {
    const result = await handler(event, context);
    duration = spent(begunAt);
    body = JSON.stringify(result) ?? "null";
  } catch (error) {
    duration = spent(begunAt);
    outcome = "error";
    body = describe(error);
  }
  await call("POST", `invocation/${runningId}/${outcome}`, body, { "Testbed-Duration-Ns": duration });
  runningId = undefined;
}
