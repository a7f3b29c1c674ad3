#!/bin/sh
# Builds the image of the gateway for this machine, starts it, and runs a command on it. Needs docker with buildx.
#   scripts/release/check-image.sh
set -eu
image=warmline-gateway:check
cd "$(dirname "$0")/../.."
docker buildx build --load --file gateway/deploy/Dockerfile --tag "$image" .
container=$(docker run --detach --read-only --cap-drop ALL --publish 127.0.0.1::8079 --env WARMLINE_GATEWAY_TOKEN=check "$image")
trap 'docker rm --force "$container"' EXIT

address=$(docker port "$container" 8079)
if ! curl --fail --silent --show-error --retry 30 --retry-delay 1 --retry-all-errors "http://$address/ready"; then
  docker logs "$container" >&2
  exit 1
fi
curl --fail --silent --show-error --header "Authorization: Bearer check" "http://$address/incr/visits"
