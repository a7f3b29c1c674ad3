#!/bin/sh
# Packs the Helm chart into build/release, and pushes it if --push is given. Needs helm 3.8 or newer.
#   scripts/release/chart.sh 0.2.0 [--push]
set -eu
version=$1
cd "$(dirname "$0")/../.."
helm lint gateway/deploy/helm --set existingSecret=secret
helm package gateway/deploy/helm --version "$version" --app-version "$version" --destination build/release
if [ "${2-}" = --push ]; then
  helm push "build/release/warmline-gateway-$version.tgz" oci://ghcr.io/warmline/charts
fi
