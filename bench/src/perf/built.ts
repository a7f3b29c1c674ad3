const { url } = import.meta;

/**
 * A file of this package as it was built, by its path in `dist`. The bundler may put this very code into a file at any
 * depth of that folder.
 */
export const built = (path: string): URL =>
  new URL(path, url.slice(0, url.lastIndexOf("/dist/") + "/dist/".length));
