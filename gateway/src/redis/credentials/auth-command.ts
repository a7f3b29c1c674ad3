import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { LoginSource, NewLogin } from "./credentials.js";

const runFile = promisify(execFile);
/** Time in ms after which the program is ended. */
const TIMEOUT = 10_000;
const MAX_OUTPUT = 64 * 1024;
const FORM = 'expected a JSON object with "password", and optionally "username" and "expires"';

/** A program that prints a password, and optionally the user and the password's end, as JSON. */
export class AuthCommand implements LoginSource {
  readonly isQuick = false;
  readonly description: string;
  readonly #end = new AbortController();

  /**
   * @param program the path of the program, which is run without arguments and without a shell
   * @param username the user if the program prints none
   * @param timeout time in ms after which the program is ended
   */
  constructor(
    private readonly program: string,
    private readonly username: string,
    private readonly timeout = TIMEOUT,
  ) {
    this.description = `redisAuthCommand: ${program}`;
  }

  async read(): Promise<NewLogin> {
    const limits = { timeout: this.timeout, maxBuffer: MAX_OUTPUT };
    const options = { ...limits, killSignal: "SIGKILL", signal: this.#end.signal } as const;
    try {
      const run = runFile(this.program, [], options);
      run.child.stdin?.end();
      const { stdout } = await run.catch((error) => {
        throw new Error(failureOf(error, this.timeout));
      });
      return loginIn(stdout, this.username);
    } catch (error) {
      throw new Error(`${this.description} ${(error as Error).message}`);
    }
  }

  close(): void {
    this.#end.abort();
  }
}

/** Returns why a program failed. What it printed is left out, since that may be a password. */
function failureOf(
  error: Error & { code?: unknown; killed?: boolean; signal?: string | null },
  timeout: number,
) {
  const { code, killed, signal } = error;
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return `printed more than ${MAX_OUTPUT} bytes`;
  if (code === "ABORT_ERR") return "was ended, since the gateway is closing";
  if (killed) return `did not end within ${timeout} ms`;
  if (signal) return `was ended by ${signal}`;
  return typeof code === "number" ? `failed with status ${code}` : `can't be run (${code})`;
}

/** @throws {Error} if the text has another form; the message does not repeat it */
function loginIn(text: string, ownName: string): NewLogin {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`printed no JSON; ${FORM}`);
  }
  if (typeof value !== "object" || value === null) throw new Error(`printed another value; ${FORM}`);
  const { username = ownName, password, expires } = value as Record<string, unknown>;
  if (typeof password !== "string" || password === "") throw new Error(`printed no "password"; ${FORM}`);
  if (typeof username !== "string") throw new Error('printed a "username" that is not text');
  return { username, password, lifetime: expires === undefined ? undefined : lifetimeOf(expires) };
}

/** @param expires the end of the password: a date and time in ISO 8601, or seconds since 1970, as a number or as text */
function lifetimeOf(expires: unknown): number {
  const text = String(expires);
  const end = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text);
  if (Number.isNaN(end))
    throw new Error('printed an "expires" that is not a time: use ISO 8601, or seconds since 1970');
  const lifetime = end - Date.now();
  if (lifetime <= 0) throw new Error("printed a password that has expired");
  return lifetime;
}
