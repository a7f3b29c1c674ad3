/** Prints what the program found and ends it. */
export function done(found) {
  console.log(JSON.stringify(found));
  process.exit(0);
}

/** Starts an app of express. Returns its URL. */
export async function serve(app) {
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${server.address().port}`;
}
