import { byId } from "./dom.js";

const VIEWS = ["terminal", "key", "commands", "connect"] as const;

/** The name of a view. */
export type View = (typeof VIEWS)[number];

/** The views beside the list of keys. One of them is shown. */
export class Tabs {
  /** Called with the name of a view when it is shown. */
  onShow: (view: View) => void = () => {};

  constructor() {
    for (const [at, view] of VIEWS.entries()) {
      const tab = byId(`tab-${view}`);
      tab.addEventListener("click", () => this.show(view));
      tab.addEventListener("keydown", ({ key }) => {
        const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
        if (step === 0) return;
        const next = VIEWS[(at + step + VIEWS.length) % VIEWS.length]!;
        this.show(next);
        byId(`tab-${next}`).focus();
      });
    }
  }

  show(view: View): void {
    for (const each of VIEWS) {
      const isShown = each === view;
      const tab = byId(`tab-${each}`);
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      byId(each).hidden = !isShown;
    }
    this.onShow(view);
  }
}
