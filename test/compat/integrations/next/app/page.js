import { news } from "./news.js";

export default async function Page() {
  return <p id="news">{await news()}</p>;
}
