import { Query } from "@upstash/query";
import { Redis } from "@upstash/redis";

type Person = { name: string; team: string; id: string };
// Query decodes values itself.
const query = new Query({ redis: Redis.fromEnv({ automaticDeserialization: false }) });
const people = query.createCollection<Person>("people");
const byTeam = people.createIndex({ name: "by_team", terms: ["team"] });
await people.set("1", { name: "Ada", team: "red", id: "007" });
await people.set("2", { name: "Bob", team: "red", id: "008" });
await people.set("3", { name: "Cleo", team: "blue", id: "009" });
const names = async (team: string) => (await byTeam.match({ team })).map(({ data }) => data.name).sort();
const red = await names("red");
await people.update("2", { name: "Bob", team: "blue", id: "008" });
const blue = await names("blue");
await people.delete("3");
const one = await people.get("1");
console.log(JSON.stringify({ red, blue, left: await names("blue"), one: one?.data }));
