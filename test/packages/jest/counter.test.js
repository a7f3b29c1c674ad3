const { useGateway } = require("warmline-gateway/testing");
const { count } = require("./counter.js");

// Jest has its hooks as globals.
const gateway = useGateway();

test.each([1, 2])("every test finds Redis empty: %i", async () => {
  expect(process.env.WARMLINE_URL).toBe(gateway.url);
  expect(await count("visits")).toBe(1);
});

test("flush empties it within a test too", async () => {
  await count("visits");
  await gateway.flush();
  expect(await count("visits")).toBe(1);
});
