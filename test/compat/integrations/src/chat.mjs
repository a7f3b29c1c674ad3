import { Chat } from "chat";
import { done } from "./done.mjs";
import { state } from "./recipes/chat.mjs";

new Chat({ userName: "bot", adapters: {}, state });
await state.connect();
await state.subscribe("thread-1");
const lock = await state.acquireLock("thread-1", 10_000);
const other = await state.acquireLock("thread-1", 10_000);
await state.releaseLock(lock);
const again = await state.acquireLock("thread-1", 10_000);
await state.set("answer", { n: 1 }, 60_000);
await state.appendToList("history", "a", { maxLength: 2 });
await state.appendToList("history", "b", { maxLength: 2 });
await state.appendToList("history", "c", { maxLength: 2 });
done({
  subscribed: [await state.isSubscribed("thread-1"), await state.isSubscribed("thread-2")],
  locks: [lock, other, again].map((each) => each !== null),
  extended: await state.extendLock(again, 20_000),
  value: await state.get("answer"),
  history: await state.getList("history"),
});
