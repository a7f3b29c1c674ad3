import { setTimeout as pause } from "node:timers/promises";

/** Longer than a run, so that only a fault makes the page render again. */
export const revalidate = 300;

/** No page is rendered by `next build`: each is at its first request. */
export const generateStaticParams = () => [];

/** Shows what a database would return after 100 ms. */
export default async function Page() {
  await pause(100);
  const products = Array.from({ length: 100 }, (_, number) => `Product ${number}`);
  return (
    <ul>
      {products.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
}
