import { LazyMap } from "../../util/lazy-map.js";
import type { Node } from "./node.js";
import type { Topology } from "./topology.js";

/** The nodes of a cluster that were used so far. */
export class Nodes {
  readonly #nodes = new LazyMap((name: string) => {
    const node = this.make(name);
    if (this.#endsWithin !== null) node.endWaits(this.#endsWithin);
    if (this.#closed) node.close();
    return node;
  });
  #sweep: NodeJS.Timeout | undefined;
  #closed = false;
  /** The time of {@link endWaits}, in ms. Null before. */
  #endsWithin: number | null = null;

  /** @param grace how long a node that left the cluster keeps its connections, in ms: commands may be under way */
  constructor(
    private readonly topology: Topology,
    private readonly grace: number,
    private readonly make: (name: string) => Node,
  ) {
    topology.on("change", this.#sweepLater);
  }

  [Symbol.iterator](): Iterator<Node> {
    return this.#nodes.values();
  }

  get(name: string): Node {
    return this.#nodes.of(name);
  }

  /** Returns the first of these that has not failed recently, else the first one. */
  best(names: readonly string[]): string | undefined {
    return names.find((name) => !this.#nodes.get(name)?.isEjected) ?? names[0];
  }

  /** Ends commands that block on any node. Nodes used later refuse them. */
  endWaits(within: number): void {
    this.#endsWithin = within;
    for (const node of this) node.endWaits(within);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#sweep);
    this.topology.off("change", this.#sweepLater);
    for (const node of this) node.close();
  }

  #sweepLater = (): void => {
    clearTimeout(this.#sweep);
    this.#sweep = setTimeout(() => {
      for (const node of this) {
        if (this.topology.has(node.name)) continue;
        this.#nodes.delete(node.name);
        node.close();
      }
    }, this.grace).unref();
  };
}
