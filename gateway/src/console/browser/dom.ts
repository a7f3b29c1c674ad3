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

/** Makes an element that holds other elements. */
export function group<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = element(name, "", className);
  made.append(...children);
  return made;
}

/** Calls `run` in place of sending a form. */
export function onSubmit(form: HTMLElement, run: () => unknown): void {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
}

export function button(text: string, onClick: () => unknown, className = ""): HTMLButtonElement {
  const made = element("button", text, className);
  made.type = "button";
  made.addEventListener("click", () => void onClick());
  return made;
}

/** Makes a button that has to be clicked twice, since its action cannot be undone. */
export function dangerousButton(
  text: string,
  confirmation: string,
  onClick: () => unknown,
): HTMLButtonElement {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reset = () => {
    clearTimeout(timer);
    timer = undefined;
    made.textContent = text;
    made.classList.remove("danger");
  };
  const made = button(text, () => {
    if (timer !== undefined) {
      reset();
      return onClick();
    }
    made.textContent = confirmation;
    made.classList.add("danger");
    timer = setTimeout(reset, 4_000);
  });
  return made;
}
