/** In a child: answers each message of its parent with what `answer` gives, and ends with the parent. See {@link Child}. */
export function serveParent<Message>(answer: (message: Message) => Promise<object>): void {
  process.on("disconnect", () => process.exit());
  process.on("message", async (message) => {
    try {
      process.send!(await answer(message as Message));
    } catch (error) {
      process.send!({ error: String(error instanceof Error ? error.stack : error) });
    }
  });
}
