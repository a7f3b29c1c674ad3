/** An error in the command line, an environment variable or the config file. It is printed as one line, with exit status 2. */
export class UsageError extends Error {}
