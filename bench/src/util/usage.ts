/** A mistake of the user, in the command line or the environment; its message is printed without a stack. */
export class UsageError extends Error {}

export const errorText = (error: unknown): string => {
  if (error instanceof UsageError) return error.message;
  return String(error instanceof Error ? error.stack : error);
};
