/** A mistake in the command line; its message is printed without a stack. */
export class UsageError extends Error {}
