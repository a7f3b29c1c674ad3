#!/bin/sh
# Builds the image of the gateway for amd64 and arm64, and pushes it if --push is given. Needs docker with buildx.
#   scripts/release/image.sh 0.2.0 [--push]
set -eu
version=$1
output="--output=type=cacheonly"
if [ "${2-}" = --push ]; then output=--push; fi
# A prerelease, such as 0.2.0-beta.1, is not "latest".
case $version in *-*) tag=next ;; *) tag=latest ;; esac

image=ghcr.io/warmline/warmline-gateway
cd "$(dirname "$0")/../.."
docker buildx build --platform linux/amd64,linux/arm64 --file gateway/deploy/Dockerfile --provenance=true \
  --tag "$image:$version" --tag "$image:$tag" "$output" .
