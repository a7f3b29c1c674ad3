import { createHash } from "node:crypto";
import { joinArgs } from "../../resp/args.js";
import type { Command } from "../../resp/command.js";
import { bulkOf, isError } from "../../resp/replies.js";

/** Maximum number of remembered scripts, and their maximum total size in bytes. */
const MAX_SCRIPTS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

const NOSCRIPT = "-NOSCRIPT ";

/** Whether a node replied that it does not have the script of this digest. */
export function isNoScript(reply: Buffer): boolean {
  return isError(reply) && reply.toString("latin1", 0, NOSCRIPT.length) === NOSCRIPT;
}

/**
 * The scripts that were sent recently. One Redis remembers every script that it has run; on a cluster only the node that ran
 * it does, so that EVALSHA elsewhere needs its text.
 */
export class Scripts {
  /** The texts by their digests. The one used longest ago comes first. */
  readonly #texts = new Map<string, Buffer>();
  #bytes = 0;

  /** Stores the script of a command. SCRIPT FLUSH removes all scripts. */
  note(command: Command): void {
    const { name, size } = command;
    const subcommand = name === "SCRIPT" ? command.upper(1) : null;
    if (size > 2 && (name === "EVAL" || name === "EVAL_RO")) this.#remember(command.content(1));
    else if (size === 3 && subcommand === "LOAD") this.#remember(command.content(2));
    else if (subcommand === "FLUSH") {
      this.#texts.clear();
      this.#bytes = 0;
    }
  }

  /** The command that runs the script of an EVALSHA or EVALSHA_RO by its text; null when that is not known. */
  withText(command: Command): Command | null {
    const { name, size } = command;
    if (name !== "EVALSHA" && name !== "EVALSHA_RO") return null;
    const digest = command.text(1).toLowerCase();
    const text = this.#texts.get(digest);
    if (!text) return null;
    this.#texts.delete(digest);
    this.#texts.set(digest, text);
    const byText = Buffer.from(name === "EVALSHA" ? "EVAL" : "EVAL_RO");
    return joinArgs(size, [bulkOf(byText), bulkOf(text), command.slice(2, size)]);
  }

  #remember(text: Buffer): void {
    if (text.length > MAX_BYTES) return;
    const digest = createHash("sha1").update(text).digest("hex");
    const known = this.#texts.get(digest);
    // The text is copied, since a command's bytes are part of a larger buffer.
    this.#texts.delete(digest);
    this.#texts.set(digest, known ?? Buffer.from(text));
    if (!known) this.#bytes += text.length;
    for (const [oldest, { length }] of this.#texts) {
      if (this.#texts.size <= MAX_SCRIPTS && this.#bytes <= MAX_BYTES) break;
      this.#texts.delete(oldest);
      this.#bytes -= length;
    }
  }
}
