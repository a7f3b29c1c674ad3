import { addNote } from "./actions";
import { redis } from "./redis";

// The page reads Redis, so it is rendered for each request, without a setting.
export default async function Page() {
  const [visits, notes] = await redis.pipeline().incr("visits").lrange<string>("notes", 0, -1).exec();
  return (
    <main>
      <p id="visits">{visits}</p>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <form action={addNote}>
        <input name="note" />
        <button type="submit">Add</button>
      </form>
    </main>
  );
}
