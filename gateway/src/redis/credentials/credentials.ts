import type { Log } from "../../log/log.js";
import { systemClock } from "../../util/clock.js";
import { Login } from "./login.js";

/** A password is renewed when a third of its lifetime is left, but at most this long before its end, in ms. */
const MAX_LEAD = 5 * 60_000;
/** Pause in ms after the first failed attempt. It doubles with each further one, up to the maximum. */
const INITIAL_BACKOFF = 1_000;
const MAX_BACKOFF = 60_000;
/** Minimum interval in ms between reads of the source while Redis refuses the current password. */
const REFUSED_INTERVAL = 5_000;
const MAX_TIMEOUT = 0x7fffffff;

/** A user and a password as a source returns them. */
export interface NewLogin {
  /** Empty for the default user. */
  readonly username: string;
  readonly password: string;
  /** Time in ms from now after which the password is refused. Default: no known end. */
  readonly lifetime?: number | undefined;
}

/** The source of the passwords of the gateway's own Redis user. */
export interface LoginSource {
  /** Names the source in messages. */
  readonly description: string;
  /** Returns the current user and password. @throws {Error} with a message that contains no secret */
  read(): Promise<NewLogin>;
  /** Whether {@link read} is quick enough to be called for every new connection. */
  readonly isQuick: boolean;
  /** Calls `onChange` when {@link read} may return something else, until the returned function is called. */
  watch?(onChange: () => void): () => void;
  /** Ends a {@link read} that is under way. */
  close?(): void;
}

/** The current user and password of the gateway's own connections. They may change while it runs. */
export class Credentials {
  readonly #listeners = new Set<(login: Login) => void>();
  #current: Login | null = null;
  /** When the current login is to be renewed, and when it ends. */
  #renewAt = Number.POSITIVE_INFINITY;
  #endsAt = Number.POSITIVE_INFINITY;
  #reading: Promise<Login> | null = null;
  #readAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  /** The reason why the last attempt to read a login failed, or null. */
  #problem: string | null = null;
  /** The last login that Redis has refused. */
  #refused: Login | null = null;
  #timer: NodeJS.Timeout | undefined;
  #stopWatching: (() => void) | null = null;
  #closed = false;

  constructor(
    private readonly source: LoginSource,
    private readonly log: Log,
    private readonly clock = systemClock,
  ) {}

  /**
   * Returns the login for a new connection. If the source fails, returns its last login.
   * @throws {Error} if the source has never returned a login; the message contains no secret
   */
  async get(): Promise<Login> {
    const login = this.#current;
    if (!login || this.source.isQuick) return this.#read();
    const now = this.clock.now();
    const isRefused = login === this.#refused && now - this.#readAt >= REFUSED_INTERVAL;
    if (isRefused || now >= this.#endsAt) return this.#read();
    if (now >= this.#renewAt) void this.#read();
    return login;
  }

  /** The reason why a connection waits for {@link get}. */
  get delay(): string {
    return this.#problem ?? `${this.source.description} gave no password in time`;
  }

  /** Whether there is a newer login than this one. */
  isOutdated(login: Login): boolean {
    return login !== this.#current;
  }

  /**
   * Calls `listener` with each login newer than `since`, until the returned function is called. Logins are renewed before they
   * end only while there is a listener, that is, an open connection.
   */
  onChange(since: Login, listener: (login: Login) => void): () => void {
    this.#listeners.add(listener);
    this.#stopWatching ??= this.source.watch?.(() => void this.#read()) ?? null;
    this.#arm();
    if (this.#current && this.#current !== since) listener(this.#current);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stopRenewing();
    };
  }

  /** Called when Redis has refused a login. Logs that once per login. */
  refused(login: Login, error: string): void {
    if (login === this.#refused) return;
    this.#refused = login;
    this.log.error(`Redis refused the user and password of ${this.source.description}: ${error}`);
  }

  /** Stops renewing logins, and closes the source. */
  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    this.#stopRenewing();
    this.source.close?.();
  }

  #stopRenewing(): void {
    this.clock.clear(this.#timer);
    this.#stopWatching?.();
    this.#stopWatching = null;
  }

  #read(): Promise<Login> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = null;
    });
    // A failure has been logged, and callers that wait for the login get it too.
    this.#reading.catch(() => {});
    return this.#reading;
  }

  async #readNow(): Promise<Login> {
    this.#readAt = this.clock.now();
    try {
      const login = this.#take(await this.source.read());
      if (this.#problem !== null) this.log.info(`${this.source.description} can be used again`);
      this.#problem = null;
      this.#failures = 0;
      return login;
    } catch (error) {
      this.#failed((error as Error).message);
      if (this.#current) return this.#current;
      throw error;
    } finally {
      this.#arm();
    }
  }

  #take({ username, password, lifetime = Number.POSITIVE_INFINITY }: NewLogin): Login {
    const now = this.clock.now();
    this.#endsAt = now + lifetime;
    this.#renewAt = Math.max(now + INITIAL_BACKOFF, this.#endsAt - Math.min(lifetime / 3, MAX_LEAD));
    const current = this.#current;
    if (current?.username === username && current.password === password) return current;
    const login = new Login(username, password);
    this.#current = login;
    for (const listener of [...this.#listeners]) listener(login);
    return login;
  }

  #failed(reason: string): void {
    const isNew = reason !== this.#problem;
    this.#problem = reason;
    if (isNew && !this.#closed)
      this.log.error(this.#current ? `${reason}; the previous password stays in use` : reason);
    const backoff = Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** this.#failures++);
    this.#renewAt = Math.max(this.#renewAt, this.clock.now() + backoff);
  }

  #arm(): void {
    this.clock.clear(this.#timer);
    if (this.#listeners.size === 0 || this.#renewAt === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(MAX_TIMEOUT, Math.max(0, this.#renewAt - this.clock.now()));
    this.#timer = this.clock
      .setTimeout(() => {
        if (this.clock.now() >= this.#renewAt) void this.#read();
        else this.#arm();
      }, wait)
      .unref();
  }
}
