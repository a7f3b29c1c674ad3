const RESP3 = "RESP3 is refused: replies have the form of RESP2, and subscribers run no commands";
const DATABASE = "`SELECT` of another database, or `db`, is refused";

/** Reasons for which a test that passes over TCP does not pass through warmline/ioredis. The first that fits counts. */
const REASONS = [
  [
    "error",
    /CLIENT [A-Z-]+ is not available|run the 'client' command/,
    "`CLIENT` subcommands: requests share the connections to Redis",
  ],
  ["error", /WATCH is not available/, "`WATCH` is refused"],
  ["error", /database 0|db of ioredis|SELECT 0 first/, DATABASE],
  ["file", /functional\/(select|send_command|reconnect_on_error)\.ts/, DATABASE],
  ["error", /WRONGPASS|username of ioredis/, "`AUTH` with a user name is refused: the token authenticates"],
  ["error", /run the 'module' command/, "`MODULE` is closed by the gateway"],
  ["error", /'wait' waits for writes/, "`WAIT` alone: requests share the connections to Redis"],
  ["title", /RESP3\/resp3|hello \(RESP3|RESP3 subscriber|replyMapping resp3/, RESP3],
  ["file", /functional\/commands\/hello\.ts/, "`HELLO` gives no connection id"],
  ["title", /connectTimeout|socket destroyed before/, "the test replaces functions of the TCP socket"],
  ["title", /large pipelines/, "600 MB of replies in one pipeline are more than a response holds"],
  ["title", /resent unfulfilled commands/, "the test wants unfulfilled commands to be sent again"],
  ["file", /functional\/scripting\.ts/, "`MONITOR` shows the commands of the gateway's connections too"],
];

/** Returns the reason of a lost test. */
export function reasonFor(test) {
  const found = REASONS.find(([field, pattern]) => pattern.test(test[field]));
  return found ? found[2] : `not explained: ${test.error.split("\n")[0].slice(0, 100)}`;
}
