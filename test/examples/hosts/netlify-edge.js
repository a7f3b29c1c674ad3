// Serves an edge function, as Netlify does: on Deno, with the environment behind a global.
globalThis.Netlify = { env: { get: (name) => Deno.env.get(name) } };
const { default: handler, config } = await import(Deno.args[0]);
Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`) },
  (request) =>
    new URL(request.url).pathname === config.path
      ? handler(request, {})
      : new Response(null, { status: 404 }),
);
