/** Computes for `ms`, and returns which share of a processor it got in that time. */
export const handler = async ({ ms }) => {
  const begunAt = performance.now();
  const before = process.cpuUsage();
  while (performance.now() - begunAt < ms);
  const { user, system } = process.cpuUsage(before);
  return { share: (user + system) / 1_000 / (performance.now() - begunAt) };
};
