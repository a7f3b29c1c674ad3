#!/usr/bin/env bash
# Deploys the function that the scenario "lambda" measures. Needs the SAM CLI and credentials of AWS.
# usage: bench/aws/deploy.sh STACK URL TOKEN [MEMORY_MB,MEMORY_MB...]
set -euo pipefail

if [ $# -lt 3 ]; then
  echo "usage: $0 STACK URL TOKEN [MEMORY_MB,MEMORY_MB...]" >&2
  exit 2
fi
cd "$(dirname "$0")"
npm run --silent build --prefix ../.. >&2
node package.mjs build
sam deploy --template-file template.yaml --stack-name "$1" --resolve-s3 --capabilities CAPABILITY_IAM \
  --no-fail-on-empty-changeset --parameter-overrides "RedisUrl=$2" "RedisToken=$3" "MemorySizes=${4:-128,512,1769}"
echo "Deployed. Run: WARMLINE_AWS_STACK=$1 npm run bench -- lambda"
