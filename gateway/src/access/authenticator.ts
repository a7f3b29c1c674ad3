import { timingSafeEqual } from "node:crypto";
import type { Upstream, Upstreams } from "../redis/upstream.js";
import type { Command } from "../resp/command.js";
import { bulkOf, errorOf } from "../resp/replies.js";
import type { CommonRules } from "./denial-reasons.js";
import { Permissions } from "./permissions.js";
import { Quota } from "./quota.js";
import { checkAdministrator, checkUser, RestTokens } from "./rest-token.js";
import { Revocation } from "./revocation.js";
import type { Shares } from "./shares.js";
import { digestOf, randomToken } from "./token.js";
import { TokenFiles } from "./token-files.js";
import type { KnownToken, TokenList, TokenSources } from "./token-list.js";

/** Options of {@link Authenticator}. */
export interface AuthenticatorOptions {
  readonly sources: TokenSources;
  /** The tokens first read from {@link sources}. */
  readonly tokens: TokenList;
  readonly upstreams: Upstreams;
  readonly rules: CommonRules;
  /** The part of each shared limit that one token may hold. */
  readonly shares: Shares;
  /** The secret that seals the tokens of `ACL RESTTOKEN`. Default: the main token. */
  readonly secret: string | undefined;
  /** Called with a one-line message when tokens were read again, or could not be. */
  readonly onNotice: (message: string, isError: boolean) => void;
}

/** Interval in ms between checks of the token files. */
const CHECK_INTERVAL = 500;
/** Tokens of `ACL RESTTOKEN` whose grants are remembered. */
const REMEMBERED = 1_000;
/** Quotas kept, unless more have something under way. */
const MAX_QUOTAS = 10_000;

/** Knows the tokens, and what their bearers may do. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  #list: TokenList;
  #permissions: readonly (readonly [KnownToken, Permissions])[] = [];
  /** The revocations of the tokens, by the token and all that it may do. */
  #revocations: ReadonlyMap<string, Revocation> = new Map();
  #restTokens: RestTokens;
  #restRevocation = new Revocation();
  readonly #restPermissions = new Map<string, Permissions>();
  /** Quotas by the name of the token, or of the Redis user. They stay when tokens are read again. */
  readonly #quotas = new Map<string, Quota>();
  /** Changes whenever a token may have come to mean something else. */
  generation = 0;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#list = options.tokens;
    this.#restTokens = this.#sealer();
    this.#take(this.#list);
    if (this.#list.files.size > 0) {
      const files = new TokenFiles(options.sources, this.#list);
      this.#timer = setInterval(() => void this.#reload(files), CHECK_INTERVAL).unref();
    }
  }

  /** The main token; empty when there is none. */
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
    return found ?? this.#permissionsOfRestToken(token, digest);
  }

  /** Whether the gateway replies to a command by itself. */
  handlesItself(command: Command): boolean {
    return command.name === "ACL" && command.upper(1) === "RESTTOKEN";
  }

  /** Returns the gateway's own reply to a command, in RESP. `sender` is the upstream of the sender's commands. */
  async handle(command: Command, sender: Upstream): Promise<Buffer> {
    if (command.size !== 4) return errorOf("ERR wrong number of arguments for 'acl|resttoken' command");
    const args = [command.text(2), command.text(3)];
    const [username = "", password = ""] = args.map((arg) => Buffer.from(arg, "latin1").toString());
    const user = { username, password };
    const own = this.#options.upstreams.of(null);
    // A Redis user must not become another one whose password is none, unless Redis lets it administer users.
    const notAdministrator = sender === own ? null : await checkAdministrator(username, sender.pushOptions);
    const denial = notAdministrator ?? (await checkUser(user, own.pushOptions));
    if (denial !== null) return errorOf(denial);
    return bulkOf(Buffer.from(this.#restTokens.seal(user)));
  }

  /** Stops looking at files. */
  close(): void {
    clearInterval(this.#timer);
  }

  #sealer(): RestTokens {
    return new RestTokens(this.#options.secret ?? (this.#list.main || randomToken()));
  }

  #take(list: TokenList): void {
    const ended: Revocation[] = [];
    const hasOtherSecret = list.main !== this.#list.main && this.#options.secret === undefined;
    this.#list = list;
    if (hasOtherSecret) {
      ended.push(this.#restRevocation);
      this.#restRevocation = new Revocation();
      this.#restTokens = this.#sealer();
      this.#restPermissions.clear();
    }
    const revocations = new Map<string, Revocation>();
    this.#permissions = list.tokens.map((token) => {
      const key = identityOf(token);
      const revocation = this.#revocations.get(key) ?? new Revocation();
      revocations.set(key, revocation);
      return [token, this.#permissionsOf(token, revocation)] as const;
    });
    for (const [key, revocation] of this.#revocations) if (!revocations.has(key)) ended.push(revocation);
    this.#revocations = revocations;
    this.#countTokens();
    this.generation++;
    for (const revocation of ended) revocation.revoke();
  }

  #permissionsOf(token: KnownToken, revocation: Revocation): Permissions {
    const { name, role, prefix, commands, user, limits } = token;
    const { rules, upstreams } = this.#options;
    const own = upstreams.of(null);
    const upstream = user ? () => upstreams.of(user) : () => own;
    const quota = this.#quota(`token ${name}`);
    quota.setLimits(limits ?? null);
    return new Permissions({ name, role, prefix, commands, rules, upstream, quota, revocation });
  }

  /** The one quota of this key. Those that nothing is under way for are dropped when there are very many. */
  #quota(key: string): Quota {
    let quota = this.#quotas.get(key);
    if (!quota) {
      if (this.#quotas.size >= MAX_QUOTAS)
        for (const [other, { isIdle }] of this.#quotas) if (isIdle) this.#quotas.delete(other);
      quota = new Quota(key, this.#options.shares);
      this.#quotas.set(key, quota);
    }
    return quota;
  }

  /** Sets the shares by whether several tokens may run commands. All tokens of Redis users count as one. */
  #countTokens(): void {
    const configured = this.#list.tokens.filter(({ role }) => role !== "metrics").length;
    this.#options.shares.areSeveral = configured + Math.min(1, this.#restPermissions.size) > 1;
  }

  #permissionsOfRestToken(token: string, digest: Buffer): Permissions | null {
    const key = digest.toString("latin1");
    const known = this.#restPermissions.get(key);
    if (known) return known;
    const user = this.#restTokens.open(token);
    if (user === null) return null;
    const { rules, upstreams } = this.#options;
    const name = `user ${user.username}`;
    const quota = this.#quota(name);
    const permissions = new Permissions({
      name,
      role: "admin",
      rules,
      upstream: () => upstreams.of(user),
      quota,
      revocation: this.#restRevocation,
    });
    for (const oldest of this.#restPermissions.keys()) {
      if (this.#restPermissions.size < REMEMBERED) break;
      this.#restPermissions.delete(oldest);
    }
    this.#restPermissions.set(key, permissions);
    this.#countTokens();
    return permissions;
  }

  async #reload(files: TokenFiles): Promise<void> {
    try {
      const list = await files.check();
      if (!list) return;
      this.#take(list);
      this.#options.onNotice(`tokens were reloaded: ${list.tokens.length}`, false);
    } catch (error) {
      this.#options.onNotice(
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
