#!/bin/sh
# Installs warmline-gateway, and a script that starts it with the container.
set -eu
if ! command -v npm >/dev/null; then
  echo "warmline-gateway needs Node 20.18 or newer: use an image with Node, or the feature ghcr.io/devcontainers/features/node" >&2
  exit 1
fi
npm install --global "warmline-gateway@$VERSION"

folder=${WARMLINE_SHARE:-/usr/local/share/warmline-gateway}
mkdir -p "$folder"
cat >"$folder/start.sh" <<'SCRIPT'
#!/bin/sh
# On loopback, so that only this container reaches it. The feature sets WARMLINE_TOKEN.
warmline-gateway --engine embedded --token "$WARMLINE_TOKEN" >/tmp/warmline-gateway.log 2>&1 &
exec "$@"
SCRIPT
chmod 755 "$folder/start.sh"
