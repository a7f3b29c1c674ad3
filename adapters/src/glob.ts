/** Returns a glob pattern that matches a text alone. */
export const escapeGlob = (text: string): string => text.replace(/[\\*?[\]]/g, "\\$&");
