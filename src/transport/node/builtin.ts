/** Returns a built-in module of Node, loaded at its first use so that importing this package stays fast. */
export const builtin: typeof process.getBuiltinModule = (id: string) => process.getBuiltinModule(id) as never;
