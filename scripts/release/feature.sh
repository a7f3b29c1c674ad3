#!/bin/sh
# Packs the dev container feature into build/release/feature, and publishes it if --push is given.
#   scripts/release/feature.sh [--push]
set -eu
cd "$(dirname "$0")/../.."
action=package
if [ "${1-}" = --push ]; then action=publish; fi
cli="npx --yes @devcontainers/cli@0.89.0"
if [ "$action" = publish ]; then
  $cli features publish gateway/deploy/devcontainer --registry ghcr.io --namespace warmline/features
else
  $cli features package gateway/deploy/devcontainer --force-clean-output-folder --output-folder build/release/feature
fi
