/** Reasons for which a test that passes over TCP does not pass through warmline/ioredis. The first that fits counts. */
const REASONS = [
  [/RESP3/, "title", "RESP3 is refused, so replies have RESP2's form and subscribers run no commands"],
  [
    /replyMapping resp3|protocol_downgrade/,
    "title",
    "RESP3 is refused, so replies have RESP2's form and subscribers run no commands",
  ],
  [
    /CLIENT [A-Z-]+ is not available|run the 'client' command/,
    "error",
    "`CLIENT` subcommands: requests share the connections to Redis",
  ],
  [/WATCH is not available/, "error", "`WATCH` is refused"],
  [/database 0|db of ioredis|SELECT 0 first/, "error", "`SELECT` of another database, or `db`, is refused"],
  [
    /functional\/(select|send_command|sentinel|socketTimeout)\.ts/,
    "file",
    "`SELECT` of another database, or `db`, is refused",
  ],
  [/WRONGPASS|username of ioredis/, "error", "`AUTH` with a user name is refused: the token authenticates"],
  [/run the 'module' command/, "error", "`MODULE` is closed by the gateway"],
  [/'wait' waits for writes/, "error", "`WAIT` alone: requests share the connections to Redis"],
  [/functional\/commands\/hello\.ts/, "file", "`HELLO` gives no connection id"],
  [/connectTimeout|socket destroyed before/, "title", "the test replaces functions of the TCP socket"],
  [/large pipelines/, "title", "600 MB of replies in one pipeline are more than a response holds"],
  [/resent unfulfilled commands/, "title", "the test wants unfulfilled commands to be sent again"],
];

/** Returns the reason of a lost test. */
export function reasonFor(test) {
  const found = REASONS.find(([pattern, field]) => pattern.test(test[field]));
  return found ? found[2] : `not explained: ${test.error.split("\n")[0].slice(0, 100)}`;
}
