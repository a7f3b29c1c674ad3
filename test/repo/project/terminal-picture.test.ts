import { expect, test } from "vitest";
import { draw, picture, record } from "../../../scripts/terminal-picture.js";

test("the picture of the terminal is what README's first example prints", async () => {
  const drawn = draw(await record());
  expect(drawn).not.toMatch(/\/#[\w-]|TOKEN=[\w-]/);
  await expect(drawn).toMatchFileSnapshot(picture);
});
