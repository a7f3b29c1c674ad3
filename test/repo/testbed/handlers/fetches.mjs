export const handler = async () => (await fetch(process.env.URL)).text();
