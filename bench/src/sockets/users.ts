import { startInstance } from "warmline-testbed";
import { handlerPath } from "../client/bench-client.js";
import type { SparseUsersEvent } from "../handlers/sparse-users.js";

/** Starts simulated users in a process of their own. `done` resolves once they have sent their requests; connections stay open. */
export async function startUsers(event: SparseUsersEvent) {
  const instance = await startInstance({ handler: handlerPath("sparse-users"), timeoutMs: 120_000 });
  const done = instance.invoke(event).then(({ error }) => {
    if (error) throw new Error(`The users failed: ${error.errorMessage}\n${instance.output}`);
  });
  return { done, stop: () => instance.stop() };
}
