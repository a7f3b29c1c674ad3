/** Returns a module of Node, which is loaded at its first use: importing this package must not take that time. */
export const builtin: typeof process.getBuiltinModule = (id: string) => process.getBuiltinModule(id) as never;
