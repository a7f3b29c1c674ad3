export const writeTables = () => {};
