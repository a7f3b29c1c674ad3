import { Histogram } from "./histogram.js";

/** What is counted of one route. */
interface Route {
  readonly answers: Map<number, number>;
  readonly duration: Histogram;
}

/** Counts requests, their answers and how long they took. */
export class Traffic {
  /** Requests whose head arrived. */
  requests = 0;
  readonly routes = new Map<string, Route>();
  /** How long Redis took over commands on shared connections, waiting included. */
  readonly upstream = new Histogram();

  /**
   * An exchange is over.
   * @param status 0 when its client went before the answer
   * @param ms how long it took; null where that says nothing
   */
  settled(name: string, status: number, ms: number | null): void {
    let route = this.routes.get(name);
    if (!route) {
      route = { answers: new Map(), duration: new Histogram() };
      this.routes.set(name, route);
    }
    route.answers.set(status, (route.answers.get(status) ?? 0) + 1);
    if (ms !== null) route.duration.observe(ms);
  }
}
