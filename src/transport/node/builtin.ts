/** Returns a module of Node. Loads it at its first use, so that importing this package stays fast. */
export const builtin: typeof process.getBuiltinModule = (id: string) => process.getBuiltinModule(id) as never;
