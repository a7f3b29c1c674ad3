import { showConnect } from "./connect.js";
import { showCounters } from "./counters.js";
import { byId, onSubmit } from "./dom.js";
import { Gateway, Unauthorized } from "./gateway.js";
import { KeyView } from "./key-view.js";
import { Keys } from "./keys.js";
import { LiveCommands } from "./live-commands.js";
import { Prompt } from "./prompt.js";
import { Tabs } from "./tabs.js";
import { findToken, forgetToken, keepToken } from "./token.js";

function notice(text: string): void {
  byId("notice").textContent = text;
  byId("notice").hidden = text === "";
}

function askForToken(): void {
  byId("login").hidden = false;
  byId("main").hidden = true;
  byId("token").focus();
}

function onError(error: unknown): void {
  if (error instanceof Unauthorized) {
    forgetToken();
    askForToken();
    notice("The gateway rejected this token.");
  } else if (error instanceof TypeError) notice("The gateway does not respond.");
  else notice(error instanceof Error ? error.message : "");
}

let isOpen = false;

async function open(token: string): Promise<void> {
  const gateway = new Gateway(token);
  try {
    await gateway.counters();
    const engine = await gateway.engine();
    byId("engine").textContent = engine;
    byId("engine").title = engine;
  } catch (error) {
    onError(error);
    return;
  }
  keepToken(token);
  // The parts of an open page keep the token that they were made with.
  if (isOpen) return location.reload();
  isOpen = true;
  notice("");
  byId("login").hidden = true;
  byId("main").hidden = false;
  showCounters(gateway, onError);
  showConnect(token);
  const tabs = new Tabs();
  const commands = new LiveCommands(gateway, onError);
  const view = new KeyView(
    gateway,
    (key, isGone) => {
      if (isGone) keys.select(null);
      void keys.changed([key], false);
    },
    onError,
  );
  const keys = new Keys(
    gateway,
    (entry) => {
      keys.select(entry.name);
      tabs.show("key");
      // On a narrow screen the view is below the list.
      if (matchMedia("(max-width: 720px)").matches) byId("work").scrollIntoView();
      void view.open(entry);
    },
    onError,
  );
  new Prompt(gateway, ([name, ...args]) => void keys.changed(args, /^FLUSH/i.test(String(name))), onError);
  tabs.onShow = (shown) => commands.show(shown === "commands");
  tabs.show("terminal");
  byId("new").addEventListener("click", () => {
    keys.select(null);
    tabs.show("key");
    view.create((entry) => {
      keys.select(entry.name);
      void view.open(entry);
    });
  });
  byId("to-connect").addEventListener("click", () => tabs.show("connect"));
  void keys.search();
  byId("line").focus();
}

onSubmit(byId("login"), () => open(byId<HTMLInputElement>("token").value.trim()));
const token = findToken();
if (token === null) askForToken();
else void open(token);
