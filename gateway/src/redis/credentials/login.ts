import { type Command, command } from "../../resp/command.js";
import { lineOf } from "../../resp/replies.js";

/** A user and a password. Every new password is another object, so logins are compared by identity. */
export class Login {
  /** The command that signs a connection in. */
  readonly auth: Command;

  /** @param username empty for the default user */
  constructor(
    readonly username: string,
    readonly password: string,
  ) {
    this.auth = authCommand(username, password);
  }
}

/** Returns the command that signs a connection in. An empty user name stands for the default user. */
export function authCommand(username: string, password: string): Command {
  return command("AUTH", ...(username ? [username] : []), password);
}

/** Returns the text of an error reply. A server that does not know AUTH repeats its arguments: these are left out. */
export function authErrorOf(reply: Buffer): string {
  return lineOf(reply).replace(/,? with args.*$/s, "");
}
