import { allCommandInfo, type CommandInfo, getCommandInfo } from "../commands/command-info.js";
import { keyPatternsOf } from "../commands/key-patterns.js";
import { onceCallOf } from "../commands/once.js";
import type { Upstream } from "../redis/upstream.js";
import type { Command } from "../resp/command.js";
import { type CommandContext, type CommonRules, denialReason, refused } from "./denial-reasons.js";
import { Prefix } from "./prefix.js";
import type { Quota } from "./quota.js";
import type { Revocation } from "./revocation.js";
import { COMMANDS_OF, type Role } from "./roles.js";
import { type Rewrite, scanWithin } from "./scan.js";

/** The permissions of a token's bearer, and the Redis user they apply to. */
export interface Permissions {
  /** The token's name, for logs. */
  readonly name: string;
  readonly role: Role;
  /** The upstream of its commands, whose connections are signed in as the user that the token stands for. */
  readonly upstream: Upstream;
  /** The token's current use, and its limits. */
  readonly quota: Quota;
  /** The end of these permissions. */
  readonly revocation: Revocation;
  /** The error text for a command that is refused, or null for one that may go to Redis. */
  denialReason(command: Command, context: CommandContext): string | null;
  /** The prefix of all keys that it may use; undefined for any keys. */
  readonly prefix: string | undefined;
  /** Whether it may run reads alone. */
  readonly readsOnly: boolean;
  /** Whether any command is rewritten. */
  readonly rewrites: boolean;
  /** Returns the replacement of an allowed command and the conversion of its reply, or null to send it unchanged. */
  rewrite(command: Command): Rewrite | null;
  /** The error text for an event stream that is refused, or null. `names` are channels or patterns, as bytes. */
  streamDenialReason(kind: StreamKind, names: readonly Buffer[]): string | null;
}

export type StreamKind = "subscribe" | "psubscribe" | "ssubscribe" | "monitor";

/** Options of {@link createPermissions}. */
export interface PermissionsOptions {
  readonly name: string;
  readonly role: Role;
  readonly rules: CommonRules;
  readonly upstream: () => Upstream;
  readonly quota: Quota;
  readonly revocation: Revocation;
  readonly prefix?: string | undefined;
  /** If given, no other commands than these: full names of commands, or of containers for all their subcommands. */
  readonly commands?: ReadonlySet<string> | undefined;
}

/** Creates permissions. The upstream is resolved each time a command needs it. */
export function createPermissions(options: PermissionsOptions): Permissions {
  const isUnbounded =
    COMMANDS_OF[options.role] === null && options.prefix === undefined && options.commands === undefined;
  return isUnbounded ? new FullPermissions(options) : new RestrictedPermissions(options);
}

/** Everything that the gateway lets through at all. */
class FullPermissions implements Permissions {
  protected readonly options: PermissionsOptions;

  constructor(options: PermissionsOptions) {
    this.options = options;
  }

  get name(): string {
    return this.options.name;
  }

  get role(): Role {
    return this.options.role;
  }

  get upstream(): Upstream {
    return this.options.upstream();
  }

  get quota(): Quota {
    return this.options.quota;
  }

  get revocation(): Revocation {
    return this.options.revocation;
  }

  denialReason(command: Command, context: CommandContext): string | null {
    return denialReason(command, context, this.options.rules);
  }

  get prefix(): string | undefined {
    return this.options.prefix;
  }

  get readsOnly(): boolean {
    return false;
  }

  get rewrites(): boolean {
    return false;
  }

  rewrite(_command: Command): Rewrite | null {
    return null;
  }

  streamDenialReason(_kind: StreamKind, _names: readonly Buffer[]): string | null {
    return null;
  }
}

/** Bounded by a role, a list of commands, a key prefix, or several of them: all must agree. */
class RestrictedPermissions extends FullPermissions {
  readonly #allowed: ReadonlySet<string> | null;
  readonly #prefix: Prefix | undefined;
  readonly #readsOnly: boolean;

  constructor(options: PermissionsOptions) {
    super(options);
    this.#allowed = COMMANDS_OF[options.role];
    const { role, commands } = options;
    const known = new Map([...allCommandInfo()].map((info) => [info.name, info]));
    const areReads = commands && [...commands].every((name) => known.get(name)?.readonly);
    this.#readsOnly = role === "read-only" || role === "metrics" || areReads === true;
    this.#prefix = options.prefix === undefined ? undefined : new Prefix(options.prefix);
  }

  override denialReason(command: Command, context: CommandContext): string | null {
    const common = denialReason(command, context, this.options.rules);
    if (common !== null) return common;
    // An exactly-once write is checked by the command that it runs, and by the key that stores its reply.
    const once = onceCallOf(command);
    if (once && this.role !== "read-only") {
      const { wrapped } = once;
      const inner = this.denialReason(wrapped, { kind: "transaction", before: 0 });
      return inner ?? this.#prefix?.denialReason(command, null, context) ?? null;
    }
    const info = getCommandInfo(command);
    if (!this.#mayRun(command, info)) return refused(info?.name ?? command.name);
    if (this.role === "read-only" && keyPatternsOf(command).length > 0) return KEYS_BY_PATTERN;
    return this.#prefix?.denialReason(command, info, context) ?? null;
  }

  override get readsOnly(): boolean {
    return this.#readsOnly;
  }

  override get rewrites(): boolean {
    return this.#prefix !== undefined;
  }

  override rewrite(command: Command): Rewrite | null {
    return this.#prefix ? scanWithin(command, this.#prefix) : null;
  }

  override streamDenialReason(kind: StreamKind, names: readonly Buffer[]): string | null {
    if (this.role === "metrics" || (kind === "monitor" && this.role !== "admin")) return refused(kind);
    if (this.options.commands && !this.options.commands.has(kind.toUpperCase())) return refused(kind);
    const texts = names.map((name) => name.toString("latin1"));
    if (this.role === "read-only") {
      // As with KEYS and SCAN, it may not find channels that it does not name.
      if (kind === "psubscribe") return refused(kind);
      if (texts.some((name) => name.startsWith("__key")))
        return "NOPERM a read-only token may not subscribe to notifications about keys";
    }
    const prefix = this.#prefix;
    if (!prefix) return null;
    if (kind === "monitor") return refused(kind);
    const covered = texts.every((name) =>
      kind === "psubscribe" ? prefix.coversPattern(name) : prefix.covers(name),
    );
    return covered ? null : `NOPERM this token may only use ${WHAT[kind]} that begin with its prefix`;
  }

  #mayRun(command: Command, info: CommandInfo | null): boolean {
    const { commands } = this.options;
    if (info === null) return this.#allowed === null && commands === undefined;
    if (this.#allowed !== null && !this.#allowed.has(info.name)) return false;
    return commands === undefined || commands.has(info.name) || commands.has(command.name);
  }
}

const KEYS_BY_PATTERN = "NOPERM a read-only token may not use BY or GET with a pattern";
const WHAT = { subscribe: "channels", psubscribe: "patterns", ssubscribe: "channels" } as const;
