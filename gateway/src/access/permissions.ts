import { type CommandInfo, getCommandInfo } from "../commands/command-info.js";
import { keyPatternsOf } from "../commands/key-patterns.js";
import { onceCallOf } from "../commands/once.js";
import type { Receiver } from "../redis/failure.js";
import type { Upstream } from "../redis/upstream.js";
import type { Command } from "../resp/command.js";
import { type CommandContext, denialReason, refused } from "./denial-reasons.js";
import { Prefix } from "./prefix.js";
import type { Quota } from "./quota.js";
import type { Revocation } from "./revocation.js";
import { COMMANDS_OF, namesOf, type Role } from "./roles.js";
import { scanWithin } from "./scan.js";
import type { KnownToken } from "./token-list.js";

export type StreamKind = "subscribe" | "psubscribe" | "ssubscribe" | "monitor";

export interface PermissionsOptions extends Pick<KnownToken, "name" | "role" | "prefix" | "commands"> {
  /** Commands that run although the gateway refuses them by default: see `denialReason`. */
  readonly opened: ReadonlySet<string>;
  /** Returns the upstream of its commands, whose connections are authenticated as the Redis user of the token. */
  readonly upstream: () => Upstream;
  /** The token's current use, and its limits. */
  readonly quota: Quota;
  /** Tells when these permissions are revoked. */
  readonly revocation: Revocation;
}

/**
 * The permissions of a token's bearer, and the Redis user they apply to. They are bounded by a role, a list of commands, a
 * key prefix, or several of them, each of which a command must pass. Without one, all that the gateway lets through may run.
 */
export class Permissions {
  readonly name: string;
  readonly role: Role;
  readonly quota: Quota;
  readonly revocation: Revocation;
  readonly prefix: string | undefined;
  /** Whether it may run only reads. */
  readonly readsOnly: boolean;
  readonly #allowed: ReadonlySet<string> | null;
  readonly #prefix: Prefix | undefined;
  readonly #isUnbounded: boolean;

  constructor(private readonly options: PermissionsOptions) {
    const { name, role, quota, revocation, prefix, commands } = options;
    this.name = name;
    this.role = role;
    this.quota = quota;
    this.revocation = revocation;
    this.prefix = prefix;
    this.readsOnly =
      role === "read-only" || role === "metrics" || (commands !== undefined && areReads(commands));
    this.#allowed = COMMANDS_OF[role];
    this.#prefix = prefix === undefined ? undefined : new Prefix(prefix);
    this.#isUnbounded = this.#allowed === null && prefix === undefined && commands === undefined;
  }

  /** The upstream of its commands. It is resolved each time a command needs it. */
  get upstream(): Upstream {
    return this.options.upstream();
  }

  /** The error text for a command that is refused, or null for one that may go to Redis. */
  denialReason(command: Command, context: CommandContext): string | null {
    const common = denialReason(command, context, this.options.opened);
    if (common !== null || this.#isUnbounded) return common;
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

  /** Limits scans among allowed commands to the prefix, and their replies before the receiver gets them. */
  rewrite(
    commands: readonly Command[],
    receiver: Receiver,
  ): { readonly commands: readonly Command[]; readonly receiver: Receiver } {
    const prefix = this.#prefix;
    const rewrites = prefix ? commands.map((command) => scanWithin(command, prefix)) : [];
    if (rewrites.every((rewrite) => rewrite === null)) return { commands, receiver };
    return {
      commands: commands.map((command, at) => rewrites[at]?.command ?? command),
      receiver: {
        get cancelled() {
          return receiver.cancelled;
        },
        onReply: (reply, tag) => receiver.onReply(rewrites[tag]?.reply(reply) ?? reply, tag),
        onLarge: (tag, first) => (rewrites[tag] ? null : (receiver.onLarge?.(tag, first) ?? null)),
        onFailure: (failure, tag) => receiver.onFailure(failure, tag),
      },
    };
  }

  /** The error text for an event stream that is refused, or null. `names` are channels or patterns, as bytes. */
  streamDenialReason(kind: StreamKind, names: readonly Buffer[]): string | null {
    if (this.role === "metrics" || (kind === "monitor" && this.role !== "admin")) return refused(kind);
    const { commands } = this.options;
    if (commands && !commands.has(kind.toUpperCase())) return refused(kind);
    const texts = names.map((name) => name.toString("latin1"));
    if (this.role === "read-only") {
      // It may not discover channels, as it may not discover keys by KEYS or SCAN.
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
    return covered ? null : `NOPERM this token may only use ${NAMED_BY[kind]} that begin with its prefix`;
  }

  #mayRun(command: Command, info: CommandInfo | null): boolean {
    const { commands } = this.options;
    if (info === null) return this.#allowed === null && commands === undefined;
    if (this.#allowed !== null && !this.#allowed.has(info.name)) return false;
    return commands === undefined || commands.has(info.name) || commands.has(command.name);
  }
}

const KEYS_BY_PATTERN = "NOPERM a read-only token may not use BY or GET with a pattern";
const NAMED_BY = { subscribe: "channels", psubscribe: "patterns", ssubscribe: "channels" } as const;

function areReads(commands: ReadonlySet<string>): boolean {
  const reads = namesOf((info) => info.readonly);
  return [...commands].every((name) => reads.has(name));
}
