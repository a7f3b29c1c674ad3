import { connection } from "next/server";
import { news } from "../../news.js";

export async function GET() {
  await connection();
  return Response.json(await news());
}
