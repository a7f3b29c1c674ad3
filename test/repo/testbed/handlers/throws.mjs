throw new RangeError("no such configuration");
export const handler = () => {};
