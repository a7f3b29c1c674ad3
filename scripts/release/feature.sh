#!/bin/sh
# Packs the dev container feature into build/release/feature, and publishes it if --push is given.
#   scripts/release/feature.sh 0.2.0 [--push]
set -eu
version=$1
cd "$(dirname "$0")/../.."
cli="npx --yes @devcontainers/cli@0.89.0"
if [ "${2-}" != --push ]; then
  $cli features package gateway/deploy/devcontainer --force-clean-output-folder --output-folder build/release/feature
  exit
fi
case $version in
  # The registry's tags "0" and "latest" would lead to a prerelease, such as 0.2.0-beta.1.
  *-*) echo "feature: the prerelease $version is not published" ;;
  *) $cli features publish gateway/deploy/devcontainer --registry ghcr.io --namespace warmline/features ;;
esac
