import { timingSafeEqual } from "node:crypto";
import type { Upstreams } from "../redis/upstream.js";
import { LazyMap } from "../util/lazy-map.js";
import { Permissions } from "./permissions.js";
import { Quota, type Shares } from "./quota.js";
import { Revocation } from "./revocation.js";
import { digestOf } from "./token.js";
import { TokenFiles } from "./token-files.js";
import type { KnownToken, TokenList, TokenSources } from "./token-list.js";

export interface AuthenticatorOptions {
  readonly sources: TokenSources;
  /** The tokens first read from {@link sources}. */
  readonly tokens: TokenList;
  readonly upstreams: Upstreams;
  /** Commands that were opened: see `denialReason`. */
  readonly opened: ReadonlySet<string>;
  /** The part of each shared limit that one token may hold. */
  readonly shares: Shares;
  /** Called with a one-line message when tokens were read again, or could not be. */
  readonly onNotice: (message: string, isError: boolean) => void;
}

/** Interval in ms between checks of the token files. */
const CHECK_INTERVAL = 500;

/** Knows the tokens, and what their bearers may do. */
export class Authenticator {
  readonly #timer: NodeJS.Timeout | undefined;
  #list: TokenList;
  #permissions: readonly (readonly [KnownToken, Permissions])[] = [];
  /** The revocations of the tokens, by the token and all that it may do. */
  #revocations: ReadonlyMap<string, Revocation> = new Map();
  /** Quotas by the name of the token. They stay when tokens are read again. */
  readonly #quotas = new LazyMap((name: string) => new Quota(`token ${name}`, this.options.shares));
  /** Changes whenever a token may have come to mean something else. */
  generation = 0;

  constructor(private readonly options: AuthenticatorOptions) {
    this.#list = options.tokens;
    this.#take(this.#list);
    if (this.#list.files.size > 0) {
      const files = new TokenFiles(options.sources, this.#list);
      this.#timer = setInterval(() => void this.#reload(files), CHECK_INTERVAL).unref();
    }
  }

  /** The text of the main token. Empty if there is no main token. */
  get mainToken(): string {
    return this.#list.main;
  }

  /** Returns the permissions of the bearer of `token`, or null if there is no such token. */
  authenticate(token: string): Permissions | null {
    const digest = digestOf(token);
    let found: Permissions | null = null;
    // Every token is compared, so that the time taken reveals nothing.
    for (const [known, permissions] of this.#permissions)
      if (timingSafeEqual(known.digest, digest)) found = permissions;
    return found;
  }

  /** Stops looking at files. */
  close(): void {
    clearInterval(this.#timer);
  }

  #take(list: TokenList): void {
    const before = this.#revocations;
    this.#list = list;
    const revocations = new Map<string, Revocation>();
    this.#permissions = list.tokens.map((token) => {
      const key = identityOf(token);
      const revocation = before.get(key) ?? new Revocation();
      revocations.set(key, revocation);
      return [token, this.#permissionsOf(token, revocation)] as const;
    });
    this.#revocations = revocations;
    this.options.shares.areSeveral = list.tokens.filter(({ role }) => role !== "metrics").length > 1;
    this.generation++;
    for (const [key, revocation] of before) if (!revocations.has(key)) revocation.revoke();
  }

  #permissionsOf(token: KnownToken, revocation: Revocation): Permissions {
    const { name, role, prefix, commands, user, limits } = token;
    const { opened, upstreams } = this.options;
    const own = upstreams.of(null);
    const upstream = user ? () => upstreams.of(user) : () => own;
    const quota = this.#quotas.of(name);
    quota.setLimits(limits ?? null);
    return new Permissions({ name, role, prefix, commands, opened, upstream, quota, revocation });
  }

  async #reload(files: TokenFiles): Promise<void> {
    try {
      const list = await files.check();
      if (!list) return;
      this.#take(list);
      this.options.onNotice(`tokens were reloaded: ${list.tokens.length}`, false);
    } catch (error) {
      this.options.onNotice(
        `tokens were not reloaded, and the previous ones stay in use: ${(error as Error).message}`,
        true,
      );
    }
  }
}

/** Returns a text that is the same for the same token with the same permissions. */
function identityOf({ name, digest, role, prefix, commands, user }: KnownToken): string {
  return JSON.stringify([name, digest.toString("hex"), role, prefix, commands && [...commands].sort(), user]);
}
