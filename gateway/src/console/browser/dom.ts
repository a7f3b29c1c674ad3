/** The element of the page with this id. */
export function byId<T extends Element = HTMLElement>(id: string): T {
  return document.getElementById(id) as unknown as T;
}

/** Makes an element that holds text. Nothing in this page is ever read as markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  text = "",
  className = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}
