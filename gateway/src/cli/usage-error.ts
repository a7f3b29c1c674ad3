/** The command line, an environment variable or the config file is wrong: one line for people, exit status 2. */
export class UsageError extends Error {}
