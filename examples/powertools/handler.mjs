import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { Redis } from "warmline";
import { createPersistence } from "./persistence.mjs";

const redis = Redis.fromEnv();
const persistenceStore = createPersistence(redis);
const config = new IdempotencyConfig({ eventKeyJmesPath: "orderId" });

async function placeOrder({ orderId, item }, context) {
  const client = redis.with({ deadline: context });
  const left = await client.decr(`stock:${item}`);
  await client.rpush("orders", orderId);
  return { orderId, left };
}

const once = makeIdempotent(placeOrder, { persistenceStore, config, keyPrefix: "place-order" });

export const handler = (event, context) => {
  config.registerLambdaContext(context);
  return once(event, context);
};
