"use server";

import { revalidatePath } from "next/cache";
import { redis } from "./redis";

/** Stores a note. A note is kept once, however often the form is sent. */
export async function addNote(form: FormData) {
  const note = String(form.get("note"));
  const added = await redis.sadd("noted", note);
  if (added === 1) await redis.rpush("notes", note);
  revalidatePath("/");
}
