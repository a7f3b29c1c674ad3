import { spawn } from "node:child_process";
import { basename, dirname, extname, resolve as resolvePath } from "node:path";
import { fileURLToPath } from "node:url";
import { endOnExit } from "../children.js";
import { Tail } from "../tail.js";
import { createFreezer, type Freezer } from "./freezer.js";
import { findLambdaRic, type LambdaRic } from "./lambda-ric.js";
import { type FunctionError, type Report, RuntimeApi } from "./runtime-api.js";
import { createThrottle, type Throttle } from "./throttle.js";

/** Options of {@link startInstance}. */
export interface InstanceOptions {
  /** The handler's module, as a path. */
  readonly handler: string;
  /** The name of the handler's export. Default `handler`. */
  readonly exportName?: string;
  /** Environment variables for the function, besides Lambda's own. No others are inherited. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The memory size that the function's environment reports, in MB. Default 1,769. It sets no limit. */
  readonly memoryMb?: number;
  /** CPU limit as a share of one processor; includes the init phase. Default: no limit. */
  readonly cpu?: number;
  /** The method of the CPU limit: a quota of the kernel if possible (`auto`, the default), or always a duty cycle. */
  readonly throttle?: "auto" | "duty cycle";
  /** Timeout of an invocation in ms. Default 3,000, as on Lambda. */
  readonly timeoutMs?: number;
  /** Timeout of the init phase in ms. Default 10,000, as on Lambda. */
  readonly initTimeoutMs?: number;
  /** The path of the Node executable. Default: this process's. */
  readonly node?: string;
  /**
   * The runtime client, which fetches invocations and runs the handler: the testbed's own, or AWS's (see
   * {@link findLambdaRic}). Default: AWS's if it is installed.
   */
  readonly runtime?: "own" | LambdaRic;
  /**
   * An event that waits when the init phase ends, as in an on-demand start; its result is `first`. Default: none, so the
   * instance idles until the first `invoke()`.
   */
  readonly firstEvent?: unknown;
  /** The method of freezing: a cgroup if possible (`auto`, the default), or always signals. */
  readonly freezer?: "auto" | "signals";
}

/** The result of one invocation; `error` is absent if the handler returned. */
export interface Invocation extends Report {
  /** The handler's duration in milliseconds, by the child's monotonic clock; `requestMs` if the child did not report it. */
  readonly durationMs: number;
}

/** The init phase failed, with the error that Lambda would report. */
export class InstanceInitError extends Error {
  override readonly name = "InstanceInitError";
  constructor(
    /** `Runtime.ImportModuleError`, `Runtime.HandlerNotFound`, `Runtime.ExitError` or the thrown error's name, for example. */
    readonly errorType: string,
    /** The reported message alone. */
    readonly errorMessage: string,
    /** The child's output, at most the last 64 KB. */
    readonly output: string,
  ) {
    super(`${errorType}: ${errorMessage}`);
  }
}

/** One execution environment of a function. */
export interface Instance {
  readonly pid: number;
  /** Time in milliseconds from the start of the process to its first request for an invocation. */
  readonly initMs: number;
  /** The part of `initMs` for loading the handler, by the child's clock. */
  readonly loadMs: number | undefined;
  /** The method of freezing. */
  readonly freezer: Freezer["kind"];
  /** The method of the CPU limit; undefined without a limit. */
  readonly throttle: Throttle["kind"] | undefined;
  /** The result of `firstEvent`; undefined without one. Its timeout begins with the process. */
  readonly first: Promise<Invocation> | undefined;
  /** Whether the process runs; an exit or a timeout ends it for good. */
  readonly alive: boolean;
  /** The function's output, at most the last 64 KB. */
  readonly output: string;
  /**
   * Runs the handler once. If the handler throws, exits or times out, the result has `error`; the promise does not reject.
   * On a frozen instance the event waits in the kernel until it is thawed.
   * @throws if the instance has ended or is running an invocation
   */
  invoke(event?: unknown): Promise<Invocation>;
  /**
   * Freezes the instance. Between invocations it first waits until the child polls for the next one, as Lambda does; during
   * an invocation it freezes at once.
   */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Kills the process, frozen or not, without a warning, as Lambda does. */
  stop(): Promise<void>;
}

const BOOTSTRAP = fileURLToPath(new URL("./bootstrap.js", import.meta.url));

/**
 * Starts a function instance: a child process that runs a handler as Lambda does, by the Runtime API.
 * Resolves when the init phase is over.
 * @throws InstanceInitError if the module does not load, has no such handler, exits, or takes too long
 */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const file = resolvePath(options.handler);
  const name = "testbed-function";
  const functionMs = options.timeoutMs ?? 3_000;
  const api = await RuntimeApi.start(`arn:aws:lambda:local:000000000000:function:${name}`);
  const tail = new Tail();
  const throttle = options.cpu === undefined ? undefined : createThrottle(options.cpu, options.throttle);
  const node = options.node ?? process.execPath;
  const runtime = options.runtime ?? findLambdaRic() ?? "own";
  const handler = `${basename(file, extname(file))}.${options.exportName ?? "handler"}`;
  const args = runtime === "own" ? [BOOTSTRAP] : [runtime.program, handler];
  const begunAt = performance.now();
  const child = spawn(...(throttle?.wrap(node, args) ?? ([node, args] as [string, string[]])), {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      TZ: ":UTC",
      AWS_REGION: "local",
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(options.memoryMb ?? 1_769),
      AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
      AWS_LAMBDA_LOG_STREAM_NAME: "local",
      AWS_LAMBDA_RUNTIME_API: api.address,
      LAMBDA_TASK_ROOT: dirname(file),
      _HANDLER: handler,
      ...options.env,
    },
    // AWS's program searches for the handler at this path.
    cwd: runtime === "own" ? undefined : dirname(file),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<FunctionError>((resolve) => {
    child.once("error", (error) => resolve({ errorType: "Runtime.ExitError", errorMessage: error.message }));
    child.once("close", (code, signal) => resolve(exitError(code, signal)));
  });
  if (child.pid !== undefined) throttle?.begin(child.pid);
  tail.follow(child.stdout);
  tail.follow(child.stderr);

  let alive = true;
  let freezer: Freezer | undefined;
  const end = () => {
    alive = false;
    throttle?.pause();
    freezer?.release();
    child.kill("SIGKILL");
  };
  const cancelEndOnExit = endOnExit(end);
  const gone = exited.then(async (error) => {
    alive = false;
    cancelEndOnExit();
    api.fail({ ...error, errorMessage: `RequestId: ${api.runningId} Error: ${error.errorMessage}` });
    await freezer?.remove();
    await throttle?.remove();
    await api.close();
    return error;
  });
  async function stop(): Promise<void> {
    if (alive) end();
    await gone;
  }

  const initTimeoutMs = options.initTimeoutMs ?? 10_000;
  const first =
    options.firstEvent === undefined ? undefined : invoke(options.firstEvent, initTimeoutMs + functionMs);
  let loadMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const initError = await new Promise<FunctionError | undefined>((settle) => {
    const errorMessage = `The init phase timed out after ${toSeconds(initTimeoutMs)} seconds`;
    timer = setTimeout(settle, initTimeoutMs, { errorType: "Sandbox.Timedout", errorMessage });
    api.onReady = (ms) => {
      loadMs = ms;
      settle(undefined);
    };
    api.onInitError = settle;
    void exited.then(settle);
  });
  clearTimeout(timer);
  const initMs = performance.now() - begunAt;
  if (initError) {
    await stop();
    throw new InstanceInitError(initError.errorType, initError.errorMessage, tail.text);
  }
  // A process is in one cgroup of version 2. If that is the throttle's, the process must stay there.
  const frozenBy = createFreezer(
    child.pid!,
    throttle?.kind === "cgroup v2 quota" ? "signals" : options.freezer,
  );
  freezer = frozenBy;

  async function invoke(event: unknown = {}, timeoutMs = functionMs): Promise<Invocation> {
    if (!alive) throw new Error("This instance has ended; start another one, as Lambda would.");
    const { requestId, report } = api.invoke(event, functionMs);
    const timer = setTimeout(() => {
      const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${toSeconds(timeoutMs)} seconds`;
      api.fail({ errorType: "Sandbox.Timedout", errorMessage });
      void stop();
    }, timeoutMs);
    const done = await report;
    clearTimeout(timer);
    return { ...done, durationMs: done.durationMs ?? done.requestMs };
  }

  return {
    pid: child.pid!,
    initMs,
    loadMs,
    freezer: frozenBy.kind,
    throttle: throttle?.kind,
    first,
    get alive() {
      return alive;
    },
    get output() {
      return tail.text;
    },
    invoke: (event) => invoke(event),
    freeze: async () => {
      if (!alive) return;
      if (api.runningId === undefined) await api.whenIdle();
      throttle?.pause();
      if (alive) await frozenBy.freeze();
    },
    thaw: async () => {
      if (alive) await frozenBy.thaw();
      throttle?.resume();
    },
    stop,
  };
}

const toSeconds = (ms: number): string => (ms / 1_000).toFixed(2);

function exitError(code: number | null, signal: NodeJS.Signals | null): FunctionError {
  const how = signal ? `signal: ${signal === "SIGKILL" ? "killed" : signal}` : `exit status ${code}`;
  const errorMessage =
    code === 0 ? "Runtime exited without providing a reason" : `Runtime exited with error: ${how}`;
  return { errorType: "Runtime.ExitError", errorMessage };
}
