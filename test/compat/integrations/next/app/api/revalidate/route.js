import { revalidateTag } from "next/cache";

export async function POST() {
  revalidateTag("news", { expire: 0 });
  return Response.json("done");
}
