import { follow, produce } from "warmline/streams";

/**
 * Streams of text that another request can read again from the beginning, while they are produced and after. The methods are those of the
 * package `resumable-stream`.
 * @param redis a client of warmline.
 * @param waitUntil the platform's function that keeps the instance running until a promise settles, if it has one.
 * @param ttl lifetime of a stream in seconds, from its last chunk.
 * @param maxSilence time in seconds without a chunk after which a reader fails: the process of the producer may have ended.
 */
export function createResumableStreamContext({
  redis,
  waitUntil = () => {},
  ttl = 3_600,
  maxSilence = 60,
  prefix = "stream:",
}) {
  // Text such as "42" must stay text.
  const client = redis.with({ codec: "text" });

  /** Returns the stored stream, without its first `skipCharacters` characters. */
  function read(id, skipCharacters = 0) {
    const controller = new AbortController();
    const entries = follow(client, prefix + id, { signal: controller.signal });
    let skip = skipCharacters;
    return new ReadableStream({
      async pull(target) {
        for (;;) {
          const timer = setTimeout(
            () => controller.abort(new Error("the producer has stopped")),
            maxSilence * 1_000,
          );
          const { done, value } = await entries.next().finally(() => clearTimeout(timer));
          if (done) return target.close();
          const text = value.fields.data.slice(skip);
          skip = Math.max(0, skip - value.fields.data.length);
          if (text !== "") return target.enqueue(text);
        }
      },
      cancel: () => controller.abort(),
    });
  }

  /** Stores a new stream, and returns it. It is stored to its end if its reader leaves. */
  async function createNewResumableStream(id, makeStream) {
    const [returned, stored] = makeStream().tee();
    const writing = stored.pipeTo(produce(client, prefix + id, { ttl }));
    waitUntil(writing.catch((error) => console.error(error)));
    return returned;
  }

  /** Returns a stored stream from its beginning, or undefined if there is none. */
  async function resumeExistingStream(id, skipCharacters) {
    return (await client.exists(prefix + id)) ? read(id, skipCharacters) : undefined;
  }

  /** Stores a new stream if this id is new, else returns the stored one. */
  async function resumableStream(id, makeStream, skipCharacters) {
    const first = client.with({ writes: "exactly-once" });
    const isNew = await first.set(`${prefix}${id}:claimed`, "1", { nx: true, ex: ttl });
    return isNew ? createNewResumableStream(id, makeStream) : read(id, skipCharacters);
  }

  return { createNewResumableStream, resumeExistingStream, resumableStream };
}
