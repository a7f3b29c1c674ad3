import "no-such-package";
export const handler = () => {};
