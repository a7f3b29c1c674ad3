import { showCounters } from "./counters.js";
import { byId } from "./dom.js";
import { Gateway, Unauthorized } from "./gateway.js";
import { Keys } from "./keys.js";
import { Prompt } from "./prompt.js";
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

async function open(token: string): Promise<void> {
  const gateway = new Gateway(token);
  try {
    await gateway.counters();
    byId("engine").textContent = await gateway.engine();
  } catch (error) {
    onError(error);
    return;
  }
  keepToken(token);
  notice("");
  byId("login").hidden = true;
  byId("main").hidden = false;
  showCounters(gateway, onError);
  const prompt = new Prompt(gateway, onError);
  new Keys(gateway, (key, type) => prompt.open(key, type), onError).look();
  byId("line").focus();
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  void open(byId<HTMLInputElement>("token").value.trim());
});
const token = findToken();
if (token === null) askForToken();
else void open(token);
