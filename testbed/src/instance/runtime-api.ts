import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An error as a function reports it to Lambda. */
export interface FunctionError {
  /** The error's type, for example `Error`, `Runtime.ExitError` or `Sandbox.Timedout`. */
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** The child's report on one invocation. */
export interface Report {
  readonly requestId: string;
  readonly result?: unknown;
  readonly error?: FunctionError;
  /** The handler's duration in milliseconds as the child measured it; absent if it did not report one. */
  readonly durationMs?: number;
  /** Time in milliseconds from sending the event to the last byte of the report. */
  readonly requestMs: number;
}

interface Running {
  readonly requestId: string;
  readonly event: unknown;
  readonly timeoutMs: number;
  begunAt: number;
  settle(report: Report): void;
}

/**
 * The Lambda Runtime API (2018-06-01) for one child process: the child requests the next invocation, and reports a
 * result, an error, or that it could not start.
 */
export class RuntimeApi {
  /** Called when the child reports that it could not start. */
  onInitError: (error: FunctionError) => void = () => {};
  /** Called when the child first requests an invocation, with its time for loading the handler, if it reported one. */
  onReady: (loadMs: number | undefined) => void = () => {};

  readonly #functionArn: string;
  readonly #server: Server;
  #waiting: ServerResponse | undefined;
  #running: Running | undefined;
  #ready = false;
  #idle: (() => void)[] = [];

  private constructor(functionArn: string) {
    this.#functionArn = functionArn;
    this.#server = createServer((request, response) => void this.#route(request, response));
    // The child's request stays open until the next invocation.
    this.#server.keepAliveTimeout = 0;
    this.#server.requestTimeout = 0;
  }

  /** Starts the server on a free loopback port. */
  static async start(functionArn: string): Promise<RuntimeApi> {
    const api = new RuntimeApi(functionArn);
    await new Promise<void>((resolve) => api.#server.listen(0, "127.0.0.1", resolve));
    return api;
  }

  /** Host and port, for `AWS_LAMBDA_RUNTIME_API`. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The id of the running invocation, if any. */
  get runningId(): string | undefined {
    return this.#running?.requestId;
  }

  /**
   * Sends an event to the child, now or at its next request. The deadline counts from the sending.
   * @throws if an invocation is running: an instance runs one at a time
   */
  invoke(event: unknown, timeoutMs: number): { requestId: string; report: Promise<Report> } {
    if (this.#running) throw new Error("This instance is running an invocation; it takes one at a time.");
    const requestId = randomUUID();
    const report = new Promise<Report>((settle) => {
      this.#running = {
        requestId,
        event,
        timeoutMs,
        begunAt: performance.now(),
        settle,
      };
    });
    this.#sendEvent();
    return { requestId, report };
  }

  /** Ends the running invocation with an error that the child did not report. */
  fail(error: FunctionError): void {
    this.#settle({ error });
  }

  /** Resolves once no invocation runs and the child waits for the next one. */
  async whenIdle(): Promise<void> {
    if (!this.#waiting) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Frees the port. */
  async close(): Promise<void> {
    for (const resolve of this.#idle.splice(0)) resolve();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.replace(/^\/2018-06-01\/runtime\//, "") ?? "";
    if (request.method === "GET" && path === "invocation/next") {
      this.#next(request, response);
      return;
    }
    const body = await text(request);
    const [, id, outcome] = /^invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    if (request.method === "POST" && path === "init/error") {
      respond(response, 202, { status: "OK" });
      this.onInitError(asError(body));
    } else if (request.method !== "POST" || outcome === undefined) {
      respond(response, 404, {
        errorType: "NotFound",
        errorMessage: "There is no such call in the Runtime API.",
      });
    } else if (id !== this.#running?.requestId) {
      respond(response, 400, {
        errorType: "InvalidRequestID",
        errorMessage: "That invocation is not running.",
      });
    } else {
      respond(response, 202, { status: "OK" });
      const duration = request.headers["testbed-duration-ns"];
      const durationMs = duration === undefined ? undefined : Number(duration) / 1e6;
      if (outcome === "error") this.#settle({ error: asError(body), durationMs });
      else this.#settle({ result: body === "" ? undefined : JSON.parse(body), durationMs });
    }
  }

  #next(request: IncomingMessage, response: ServerResponse): void {
    this.#waiting = response;
    response.on("close", () => {
      if (this.#waiting === response) this.#waiting = undefined;
    });
    if (!this.#ready) {
      this.#ready = true;
      const load = request.headers["testbed-load-ns"];
      this.onReady(load === undefined ? undefined : Number(load) / 1e6);
    }
    if (!this.#running) for (const resolve of this.#idle.splice(0)) resolve();
    this.#sendEvent();
  }

  #sendEvent(): void {
    const [running, waiting] = [this.#running, this.#waiting];
    if (!running || !waiting) return;
    this.#waiting = undefined;
    running.begunAt = performance.now();
    respond(waiting, 200, running.event, {
      "Lambda-Runtime-Aws-Request-Id": running.requestId,
      "Lambda-Runtime-Deadline-Ms": String(Date.now() + running.timeoutMs),
      "Lambda-Runtime-Invoked-Function-Arn": this.#functionArn,
    });
  }

  #settle(report: Omit<Report, "requestId" | "requestMs">): void {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    running.settle({
      requestId: running.requestId,
      requestMs: performance.now() - running.begunAt,
      ...report,
    });
  }
}

function respond(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body ?? null));
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": bytes.length,
    ...headers,
  });
  response.end(bytes);
}

function asError(body: string): FunctionError {
  const { errorType, errorMessage, trace, stackTrace } = JSON.parse(body);
  return { errorType, errorMessage, trace: trace ?? stackTrace };
}
