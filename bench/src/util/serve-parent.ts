/** Runs in a child: responds to each message of the parent with the result of `handle`, and exits with the parent. See {@link Child}. */
export function serveParent<Message>(handle: (message: Message) => Promise<object>): void {
  process.on("disconnect", () => process.exit());
  process.on("message", async (message) => {
    try {
      process.send!(await handle(message as Message));
    } catch (error) {
      process.send!({ error: String(error instanceof Error ? error.stack : error) });
    }
  });
}
