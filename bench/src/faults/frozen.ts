import { httpResponse, type ProxiedConnection } from "warmline-testbed";
import { type Fault, type FaultGroup, get, incr } from "./fault.js";

/** Something that happens to the connection of a frozen function. */
type Happening = (connection: ProxiedConnection) => void;

const HAPPENINGS: readonly [title: string, happening: Happening, onlyHttp?: boolean][] = [
  ["the server closes", (connection) => connection.close()],
  [
    "the server responds 408 and closes",
    (connection) => {
      connection.toClient(httpResponse(408, "", { Connection: "close" }));
      connection.close();
    },
    true,
  ],
  ["the close is lost, a reset follows", (connection) => connection.dropFlow("reset")],
  ["the network drops the flow", (connection) => connection.blackhole()],
];

const frozen = ([title, happening, onlyHttp]: (typeof HAPPENINGS)[number]): Fault[] =>
  [get, incr].map((call) => ({
    title: `${call("").command}, frozen and ${title}`,
    frozen: true,
    onlyHttp,
    stage: ({ key, proxy }) => ({
      turns: [[call(key("k"))]],
      strike: () => {
        for (const connection of proxy.connections) happening(connection);
        return undefined;
      },
    }),
  }));

/** Faults of the connection while the function is frozen between two invocations. */
export const frozenMeanwhile: FaultGroup = {
  title: "while frozen",
  faults: HAPPENINGS.flatMap(frozen),
};
