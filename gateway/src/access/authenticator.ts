import { timingSafeEqual } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Upstream, Upstreams } from "../redis/upstream.js";
import type { Command } from "../resp/command.js";
import type { CommonRules } from "./denial-reasons.js";
import { createPermissions, type Permissions } from "./permissions.js";
import { Quota } from "./quota.js";
import { checkAdministrator, checkUser, RestTokens } from "./rest-token.js";
import type { Shares } from "./shares.js";
import { digestOf, randomToken } from "./token.js";
import { type KnownToken, readTokenList, type TokenList, type TokenSources } from "./token-list.js";

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
const RELOAD_INTERVAL = 1_000;
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
  #restTokens: RestTokens;
  readonly #restPermissions = new Map<string, Permissions>();
  /** Quotas by the name of the token, or of the Redis user. They stay when tokens are read again. */
  readonly #quotas = new Map<string, Quota>();
  #stamps = "";
  /** Changes whenever a token may have come to mean something else. */
  generation = 0;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#list = options.tokens;
    this.#restTokens = this.#sealer();
    this.#take(this.#list);
    if (this.#list.files.size > 0) {
      this.#timer = setInterval(() => void this.#reload(), RELOAD_INTERVAL).unref();
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
    if (command.size !== 4) return reply("-ERR wrong number of arguments for 'acl|resttoken' command");
    const args = [command.text(2), command.text(3)];
    const [username = "", password = ""] = args.map((arg) => Buffer.from(arg, "latin1").toString());
    const user = { username, password };
    const own = this.#options.upstreams.of(null);
    // A Redis user must not become another one whose password is none, unless Redis lets it administer users.
    const notAdministrator = sender === own ? null : await checkAdministrator(username, sender.pushOptions);
    const denial = notAdministrator ?? (await checkUser(user, own.pushOptions));
    if (denial !== null) return reply(`-${denial}`);
    const token = this.#restTokens.seal(user);
    return reply(`$${token.length}\r\n${token}`);
  }

  /** Stops looking at files. */
  close(): void {
    clearInterval(this.#timer);
  }

  #sealer(): RestTokens {
    return new RestTokens(this.#options.secret ?? (this.#list.main || randomToken()));
  }

  #take(list: TokenList): void {
    if (list.main !== this.#list.main && this.#options.secret === undefined) {
      this.#restTokens = this.#sealer();
      this.#restPermissions.clear();
    }
    this.#list = list;
    this.#permissions = list.tokens.map((token) => [token, this.#permissionsOf(token)] as const);
    this.#countTokens();
    this.generation++;
  }

  #permissionsOf({ name, role, prefix, commands, user, limits }: KnownToken): Permissions {
    const { rules, upstreams } = this.#options;
    const own = upstreams.of(null);
    const upstream = user ? () => upstreams.of(user) : () => own;
    const quota = this.#quota(`token ${name}`);
    quota.setLimits(limits ?? null);
    return createPermissions({ name, role, prefix, commands, rules, upstream, quota });
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
    this.#options.shares.setSeveral(configured + Math.min(1, this.#restPermissions.size) > 1);
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
    const permissions = createPermissions({
      name,
      role: "admin",
      rules,
      upstream: () => upstreams.of(user),
      quota,
    });
    for (const oldest of this.#restPermissions.keys()) {
      if (this.#restPermissions.size < REMEMBERED) break;
      this.#restPermissions.delete(oldest);
    }
    this.#restPermissions.set(key, permissions);
    this.#countTokens();
    return permissions;
  }

  /** Reads the tokens again when one of their files has changed. What can't be read leaves all as it was. */
  async #reload(): Promise<void> {
    const stamps = await Promise.all([...this.#list.files.keys()].map(stampOf));
    if (stamps.join() === this.#stamps) return;
    this.#stamps = stamps.join();
    try {
      const list = readTokenList(this.#options.sources);
      if (sameFiles(list.files, this.#list.files)) return;
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

/** Returns a cheap stamp that changes with the file. Links are followed, since a mounted secret is replaced through its link. */
async function stampOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return `${ino}:${mtimeMs}:${size}`;
  } catch {
    return "";
  }
}

function sameFiles(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);
}

function reply(text: string): Buffer {
  return Buffer.from(`${text}\r\n`);
}
