// A process of the test of fan-out. `readers` opens connections, sends a request on each, and counts the messages that come.
// `bare <bytes>` writes that many bytes to each of its readers at a rate, as a program that does nothing else would.
import { connect, createServer } from "node:net";

const [role, ...args] = process.argv.slice(2);

if (role === "readers") {
  let open = 0;
  let messages = 0;
  let late = 0;
  let gaps = 0;
  const read = (port, text) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let isFirst = true;
    let rest = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      if (isFirst) process.send({ open: ++open });
      isFirst = false;
      const text = rest + chunk.toString("latin1");
      const now = Date.now();
      for (const [, at] of text.matchAll(/@(\d{13})#/g)) {
        messages++;
        if (now - Number(at) > 1_000) late++;
      }
      for (const _ of text.matchAll(/event: gap/g)) gaps++;
      // A message may continue in the next chunk, so the end of this one is searched again then.
      rest = text.slice(Math.max(text.lastIndexOf("#") + 1, text.lastIndexOf("\n") + 1, text.length - 20));
    });
  };
  process.on("message", ({ port, count, text }) => {
    if (port) for (let i = 0; i < count; i++) read(port, text);
    else process.send({ messages, late, gaps });
    if (!port) messages = late = gaps = 0;
  });
} else {
  const bytes = Number(args[0]);
  const sockets = new Set();
  let timer;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", () => socket.write("ready"));
  });
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
  process.on("message", (perSecond) => {
    clearInterval(timer);
    const payload = Buffer.alloc(bytes, "x");
    if (perSecond > 0) {
      timer = setInterval(() => {
        for (const socket of sockets) socket.write(payload);
      }, 1_000 / perSecond);
    }
  });
}
process.on("disconnect", () => process.exit());
