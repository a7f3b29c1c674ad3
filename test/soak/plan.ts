/** Commands that travel in one way, after a pause. */
export interface Step {
  readonly as: "together" | "pipeline" | "multi";
  readonly commands: readonly (readonly string[])[];
  readonly pause?: number;
  /** Aborts the step after so many ms. */
  readonly abortAfter?: number;
}

export const COUNTERS = ["counter0", "counter1", "counter{2}", "counter3}"];

/** Keys that one lane alone reads and writes: a value that never changes, and a mark that only increases. */
export const nameOf = (lane: string): string => `name:${lane}`;
export const markOf = (lane: string): string => `mark:${lane}`;

/** The steps of a lane, so many commands in all, about half of them `INCR`. */
export function planLane(lane: string, commands: number, random: () => number): Step[] {
  const steps: Step[] = [];
  const counter = () => COUNTERS[Math.floor(random() * COUNTERS.length)]!;
  let mark = 0;
  const other = () => {
    const dice = random();
    if (dice < 0.4) return ["GET", nameOf(lane)];
    if (dice < 0.7) return ["GET", markOf(lane)];
    return ["SET", markOf(lane), String(++mark)];
  };
  for (let planned = 0; planned < commands; ) {
    const dice = random();
    const as = dice < 0.75 ? "together" : dice < 0.9 ? "pipeline" : "multi";
    const size = Math.min(commands - planned, dice < 0.5 ? 1 : 2 + Math.floor(random() * 4));
    const batch = Array.from({ length: size }, () => (random() < 0.5 ? ["INCR", counter()] : other()));
    planned += size;
    steps.push({
      as,
      commands: batch,
      ...(random() < 0.3 ? { pause: Math.floor(random() * 30) } : undefined),
      ...(random() < 0.04 ? { abortAfter: Math.floor(random() * 20) } : undefined),
    });
  }
  return steps;
}
