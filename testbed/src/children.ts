const endings = new Set<() => void>();

process.on("exit", () => {
  for (const end of endings) end();
});

/**
 * Runs `end` before this process exits, to end a child or to remove files. Returns a function that cancels this.
 * @param end must be synchronous
 */
export function endOnExit(end: () => void): () => void {
  endings.add(end);
  return () => {
    endings.delete(end);
  };
}

/** Sends a signal to a process, if it has not ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}
