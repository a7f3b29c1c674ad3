import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { windowsCommandLine } from "../../../gateway/src/cli/run-command.js";
import { forTest } from "../../support/lifetime.js";
import { CliProcess } from "./cli-process.js";

/** Runs a Node program under the gateway on its embedded engine. */
function under(program: string, flags: readonly string[] = ["--port", "0"]): CliProcess {
  return forTest(new CliProcess(["--engine", "embedded", ...flags, "--", process.execPath, "-e", program]));
}

describe("warmline-gateway -- command", () => {
  test("the command gets a working gateway, and its exit status becomes the gateway's", async () => {
    const started = under(`
      const { WARMLINE_URL: url, WARMLINE_TOKEN: token } = process.env;
      fetch(url, { method: "POST", headers: { authorization: "Bearer " + token }, body: '["SET","k","v"]' })
        .then((response) => response.json())
        .then((body) => {
          console.log(JSON.stringify(body));
          const { UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN, KV_REST_API_URL, KV_REST_API_TOKEN } = process.env;
          console.log(url === UPSTASH_REDIS_REST_URL, token === UPSTASH_REDIS_REST_TOKEN);
          console.log(url === KV_REST_API_URL, token === KV_REST_API_TOKEN, process.env.REDIS_URL);
          process.exit(7);
        });
    `);
    expect(await started.ended).toBe(7);
    // The command's output is its own; the gateway prints to stderr.
    expect(started.stdout).toBe('{"result":"OK"}\ntrue true\ntrue true undefined\n');
    expect(started.stderr).toMatch(/^warmline-gateway ready http:\/\/127\.0\.0\.1:\d+\nengine: embedded/);
  });

  test.each([
    ["redis://:p@127.0.0.1:1/2", "redis://:p@127.0.0.1:1/2"],
    ["redis+sentinel://127.0.0.1:1/group", "inherited"],
    ["redis://127.0.0.1:1,127.0.0.1:2", "inherited"],
    ["redis://127.0.0.1:1?cluster=true", "inherited"],
    ["unix:///none.sock", "inherited"],
    ["redis://127.0.0.1:1", "inherited", "--redis-auth-command", "/none"],
  ])("the command gets the URL of one server as REDIS_URL: %s", async (redis, expected, ...flags) => {
    const program = "console.log(process.env.REDIS_URL)";
    const args = ["--port", "0", "--redis", redis, ...flags, "--", process.execPath, "-e", program];
    const started = forTest(new CliProcess(args, { REDIS_URL: "inherited" }));
    expect(await started.ended).toBe(0);
    expect(started.stdout).toBe(`${expected}\n`);
  });

  test("the command gets the gateway's standard input, and its success stops the gateway", async () => {
    const started = under("console.log(process.env.WARMLINE_URL); process.stdin.pipe(process.stdout)");
    started.child.stdin?.end("some\ninput\n");
    expect(await started.ended).toBe(0);
    const [url, ...lines] = started.stdout.split("\n");
    expect(lines).toEqual(["some", "input", ""]);
    await expect(fetch(url!)).rejects.toThrow();
  });

  test("signals are passed on to the command, and the gateway waits for its exit", async () => {
    const signals = ["SIGINT", "SIGHUP", "SIGUSR2", "SIGTERM"] as const;
    const started = under(`
      for (const signal of ${JSON.stringify(signals)}) process.on(signal, () => console.log(signal));
      process.on("SIGTERM", () => setTimeout(() => process.exit(5), 50));
      setInterval(() => {}, 1000);
      console.log("waiting");
    `);
    await started.printed(/waiting/);
    for (const signal of signals) {
      started.child.kill(signal);
      await started.printed(new RegExp(signal));
    }
    expect(await started.ended).toBe(5);
  });

  test("a command killed by a signal gives 128 plus the signal's number, as in a shell", async () => {
    const started = under("process.kill(process.pid, 'SIGKILL')");
    expect(await started.ended).toBe(137);
  });

  test("a missing command gives status 127 and one line, and leaves nothing running", async () => {
    const args = ["--engine", "embedded", "--port", "0", "--", "no-such-command-here"];
    const started = forTest(new CliProcess(args));
    expect(await started.ended).toBe(127);
    expect(started.stderr).toMatch(/\nwarmline-gateway: there is no command 'no-such-command-here'\n$/);
  });

  test("a command that cannot be started gives status 126 and one line", async () => {
    const started = forTest(new CliProcess(["--engine", "embedded", "--port", "0", "--", ""]));
    expect(await started.ended).toBe(126);
    expect(started.stderr).toMatch(/\nwarmline-gateway: '' cannot be run \(ERR_INVALID_ARG_VALUE\)\n$/);
  });

  // What cross-spawn makes of the same words.
  test.each([
    [["npm", "test"], 'npm ^"test^"'],
    [["node", "-e", 'console.log("a b")'], 'node ^"-e^" ^"console.log^(\\^"a^ b\\^"^)^"'],
    [
      ["C:/Program Files/x.exe", "a\\b", "c\\", 'd\\"'],
      'C:\\Program^ Files\\x.exe ^"a\\b^" ^"c\\\\^" ^"d\\\\\\^"^"',
    ],
    [["x", "", "100%", "a&b"], 'x ^"^" ^"100^%^" ^"a^&b^"'],
  ])("the shell of Windows passes %j on as they are", ([program, ...args], line) => {
    expect(windowsCommandLine(program!, args)).toBe(line);
  });

  test("the gateway takes any free port if the default one is in use, but not if a port was given", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => {
      // Another process may already use the port, which serves as well.
      blocker.once("error", () => resolve());
      blocker.listen(8079, "127.0.0.1", resolve);
    });
    try {
      const free = under("console.log(process.env.WARMLINE_URL)", []);
      expect(await free.ended).toBe(0);
      expect(free.stdout).toMatch(/^http:\/\/127\.0\.0\.1:(?!8079\n)\d+\n$/);
      const requested = under("console.log('ran')", ["--port", "8079"]);
      expect(await requested.ended).toBe(1);
      expect(requested.stdout).toBe("");
      expect(requested.stderr).toMatch(
        /: port: 8079 is in use on 127.0.0.1; choose another, or 0 for any free one\n$/,
      );
    } finally {
      if (blocker.listening) blocker.close();
    }
  });
});
