import { claimOf, decideClaim, exactly } from "../results/checks.js";
import { byClient } from "../results/present.js";
import type { Check } from "../results/result.js";
import type { Series } from "../statistics/series.js";
import { total } from "./judge.js";

/** Checks the article's claim about repeated writes, by ioredis, which the article uses. */
export function retryClaim(
  rows: readonly {
    readonly client: { readonly name: string; readonly label: string };
    readonly doubled: Series;
  }[],
): Check[] {
  return decideClaim(
    claimOf("serverless", "retry"),
    byClient(rows).filter(({ name }) => !name.startsWith("warmline")),
    ({ name }) => name === "ioredis",
    ({ label, rows: own }) => {
      const twice = total(own, "doubled");
      return exactly(`${label}, which repeats writes, applies some twice`, twice > 0, `${twice} twice`);
    },
  );
}
