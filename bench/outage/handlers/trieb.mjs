// Option A of its README.
export { default } from "@trieb.work/nextjs-turbo-redis-cache";
