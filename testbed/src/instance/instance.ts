import { spawn } from "node:child_process";
import { basename, dirname, extname, resolve as resolvePath } from "node:path";
import { fileURLToPath } from "node:url";
import { endOnExit } from "../children.js";
import { Tail } from "../tail.js";
import { createFreezer, type Freezer } from "./freezer.js";
import { findLambdaRic, type LambdaRic } from "./lambda-ric.js";
import { type FunctionError, type Report, RuntimeApi } from "./runtime-api.js";
import { createThrottle, type Throttle } from "./throttle.js";

/** What {@link startInstance} takes. */
export interface InstanceOptions {
  /** The handler's module, as a path. */
  readonly handler: string;
  /** The name that the module exports it under. Default `handler`. */
  readonly exportName?: string;
  /** Environment variables for the function, beside Lambda's own. Nothing else of this process's is handed on. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The memory that the function believes to have, in MB. Default 1,769. It sets no limit. */
  readonly memoryMb?: number;
  /** Gives it no more of a processor than this, as a share of one, its init phase included. Default: no limit. */
  readonly cpu?: number;
  /** How that is done: by a quota of the kernel where that is possible (`auto`, the default), or always by a duty cycle. */
  readonly throttle?: "auto" | "duty cycle";
  /** How long an invocation may take, in milliseconds. Default 3,000, as on Lambda. */
  readonly timeoutMs?: number;
  /** How long the init phase may take, in milliseconds. Default 10,000, as on Lambda. */
  readonly initTimeoutMs?: number;
  /** Command line flags for node. */
  readonly nodeOptions?: readonly string[];
  /** The node to run. Default: this one. */
  readonly node?: string;
  /**
   * What asks the Runtime API for invocations and runs the handler: the testbed's own program, or AWS's (see
   * {@link findLambdaRic}). Default: AWS's where it is found.
   */
  readonly runtime?: "own" | LambdaRic;
  /** How it is frozen: by cgroup where that is possible (`auto`, the default), or always by signals. */
  readonly freezer?: "auto" | "signals";
}

/** What came of one invocation: `error` is absent when the handler returned. */
export interface Invocation extends Report {
  /** The handler's own time in milliseconds, by the child's monotonic clock; `requestMs` where it could not say. */
  readonly durationMs: number;
}

/** The init phase failed: what Lambda would report. */
export class InstanceInitError extends Error {
  override readonly name = "InstanceInitError";
  constructor(
    /** Such as `Runtime.ImportModuleError`, `Runtime.HandlerNotFound`, `Runtime.ExitError`, or the thrown error's name. */
    readonly errorType: string,
    /** The reported message alone. */
    readonly errorMessage: string,
    /** What the child printed, at most the last 64 KB. */
    readonly output: string,
  ) {
    super(`${errorType}: ${errorMessage}`);
  }
}

/** One execution environment of a function. */
export interface Instance {
  readonly pid: number;
  /** From starting the process to its first request for an invocation, in milliseconds. */
  readonly initMs: number;
  /** The part of it that loading the handler took, in milliseconds, by the child's clock. */
  readonly loadMs: number | undefined;
  /** How this instance is frozen. */
  readonly freezer: Freezer["kind"];
  /** How its share of the processor is held; undefined where it has no limit. */
  readonly throttle: Throttle["kind"] | undefined;
  /** Whether the process is there; an exit or a timeout ends it for good. */
  readonly alive: boolean;
  /** What the function printed, at most the last 64 KB. */
  readonly output: string;
  /**
   * Runs the handler once. A handler that throws, exits or runs out of time is told by `error`, not by a rejection.
   * On a frozen instance the event waits in the kernel until it is thawed.
   * @throws if the instance has ended or is running an invocation
   */
  invoke(event?: unknown): Promise<Invocation>;
  /**
   * Freezes it: between invocations, as Lambda does, once it waits for the next one; while one runs, at once.
   */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Ends it, frozen or not, without a warning, as Lambda does. */
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
  const timeoutMs = options.timeoutMs ?? 3_000;
  const api = await RuntimeApi.start(`arn:aws:lambda:local:000000000000:function:${name}`);
  const tail = new Tail();
  const throttle = options.cpu === undefined ? undefined : createThrottle(options.cpu, options.throttle);
  const node = options.node ?? process.execPath;
  const runtime = options.runtime ?? findLambdaRic() ?? "own";
  const handler = `${basename(file, extname(file))}.${options.exportName ?? "handler"}`;
  const program = runtime === "own" ? [BOOTSTRAP] : [runtime.program, handler];
  const args = [...(options.nodeOptions ?? []), ...program];
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
    // AWS's program looks for the handler where it stands.
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
    throttle?.pause();
    freezer?.release();
    child.kill("SIGKILL");
  };
  const keep = endOnExit(end);
  const gone = exited.then(async (error) => {
    alive = false;
    keep();
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

  let loadMs: number | undefined;
  const initError = await firstOf<FunctionError | undefined>(options.initTimeoutMs ?? 10_000, (settle) => {
    api.onReady = (ms) => {
      loadMs = ms;
      settle(undefined);
    };
    api.onInitError = settle;
    void exited.then(settle);
  });
  const initMs = performance.now() - begunAt;
  if (initError) {
    await stop();
    throw new InstanceInitError(initError.errorType, initError.errorMessage, tail.text);
  }
  // A process is in one cgroup of version 2: where that is the throttle's, it has to stay there.
  const frozenBy = createFreezer(
    child.pid!,
    throttle?.kind === "cgroup v2 quota" ? "signals" : options.freezer,
  );
  freezer = frozenBy;

  async function invoke(event: unknown = {}): Promise<Invocation> {
    if (!alive) throw new Error("This instance has ended; start another one, as Lambda would.");
    const { requestId, report } = api.invoke(event, timeoutMs);
    const timer = setTimeout(() => {
      const seconds = (timeoutMs / 1_000).toFixed(2);
      const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`;
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
    get alive() {
      return alive;
    },
    get output() {
      return tail.text;
    },
    invoke,
    freeze: async () => {
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

function exitError(code: number | null, signal: NodeJS.Signals | null): FunctionError {
  const how = signal ? `signal: ${signal === "SIGKILL" ? "killed" : signal}` : `exit status ${code}`;
  const errorMessage =
    code === 0 ? "Runtime exited without providing a reason" : `Runtime exited with error: ${how}`;
  return { errorType: "Runtime.ExitError", errorMessage };
}

/** The first value that `begin` settles on, or a timeout of the init phase. */
function firstOf<T>(
  ms: number,
  begin: (settle: (value: T | FunctionError) => void) => void,
): Promise<T | FunctionError> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      const errorMessage = `The init phase timed out after ${(ms / 1_000).toFixed(2)} seconds`;
      resolve({ errorType: "Sandbox.Timedout", errorMessage });
    }, ms);
    begin((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}
