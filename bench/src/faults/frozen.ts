import { httpResponse, type Link } from "warmline-testbed";
import { type Fault, type FaultGroup, get, incr } from "./fault.js";

/** Something that happens to the connection of a frozen function; `last` is the last response that it received. */
type Happening = (link: Link, last: Uint8Array) => void;

const HAPPENINGS: readonly [title: string, happening: Happening][] = [
  ["the server closes", (link) => link.close()],
  [
    "the server responds 408 and closes",
    (link) => {
      link.toClient(httpResponse(408, "", { Connection: "close" }));
      link.close();
    },
  ],
  ["the last response comes again", (link, last) => link.toClient(last)],
  ["the close is lost, a reset follows", (link) => link.dropFlow("reset")],
  ["the network drops the flow", (link) => link.blackhole()],
];

const frozen = ([title, happening]: (typeof HAPPENINGS)[number]): Fault[] =>
  [get, incr].map((call) => ({
    title: `${call("").command}, frozen and ${title}`,
    frozen: true,
    stage: ({ key, proxy }) => {
      let last: Buffer = Buffer.alloc(0);
      return {
        turns: [[call(key("k"))]],
        script: () => ({
          exchange: () => ({
            response: (link, { bytes, first }) => {
              last = first ? bytes : Buffer.concat([last, bytes]);
              link.toClient(bytes);
            },
          }),
        }),
        strike: () => {
          for (const link of proxy.links) happening(link, last);
          return undefined;
        },
      };
    },
  }));

/** Faults of the connection while the function is frozen between two invocations. */
export const frozenMeanwhile: FaultGroup = {
  title: "while frozen",
  faults: HAPPENINGS.flatMap(frozen),
};
