"""Checks the files of gateway/deploy with their formats' own tools, and prints what it found as JSON.

usage: check.py <folder of the deploy files>
"""

import json
import sys
import tomllib
from pathlib import Path

import compose_spec
import helm_python as helm
import kubernetes_validate
import yaml

deploy = Path(sys.argv[1])
KUBERNETES = "1.30"


def problem_of(check, *args, **options):
    """Returns the message of the error that a check throws, or None."""
    try:
        check(*args, **options)
    except Exception as error:  # The tools have no common class of errors.
        return f"{type(error).__name__}: {error}".split("\n")[0]
    return None


def check_compose(text):
    compose_spec.PyCompose.from_yaml(text).validate()


def check_manifests(text):
    for manifest in yaml.safe_load_all(text):
        if manifest:
            kubernetes_validate.validate(manifest, KUBERNETES, strict=True)


def check_cloud_run(text):
    """Checks the container as that of a Pod, since the format of Cloud Run extends Kubernetes."""
    spec = yaml.safe_load(text)["spec"]["template"]["spec"]
    pod = {key: value for key, value in spec.items() if key not in ("containerConcurrency", "timeoutSeconds")}
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": pod}
    kubernetes_validate.validate(manifest, KUBERNETES, strict=True)


def render(values):
    """Returns the manifests of the chart by file, or the message of the error."""
    with helm.Chart.load(str(deploy / "helm")) as chart:
        try:
            manifests = chart.render(values, name="cache", namespace="prod")
        except Exception as error:
            return {"error": str(error)}
    return {Path(path).name: text for path, text in manifests.items() if text.strip()}


read = lambda name: (deploy / name).read_text()
rendered = {
    "plain": render({"existingSecret": "secret"}),
    "full": render(
        {
            "token": "a-token",
            "redisPassword": True,
            "tokens": True,
            "settings": {"redis": "redis://cache:6379", "logLevel": "debug"},
            "ingress": {"enabled": True, "host": "redis.example", "tlsSecret": "tls", "className": "nginx"},
            "podAnnotations": {"prometheus.io/scrape": "true"},
            "nodeSelector": {"kubernetes.io/arch": "arm64"},
            "tolerations": [{"key": "spot", "operator": "Exists"}],
            "imagePullSecrets": [{"name": "registry"}],
        }
    ),
    "tls": render(
        {
            "existingSecret": "secret",
            "settings": {"tlsCert": "/run/secrets/warmline/tls.crt", "tlsKey": "/run/secrets/warmline/tls.key"},
        }
    ),
    "no token": render({}),
    "unknown value": render({"existingSecret": "secret", "replica": 1}),
    **{
        f"settings.{name}": render({"existingSecret": "secret", "settings": {name: "x"}})
        for name in ("host", "port", "token", "tokenFile", "tokensFile", "redisPasswordFile")
    },
}
manifests = [
    text
    for name in ("plain", "full", "tls")
    for file, text in rendered[name].items()
    if file.endswith(".yaml")
]
problems = {
    "compose.yaml": problem_of(check_compose, read("compose.yaml")),
    "cloudflare-tunnel.yaml": problem_of(check_compose, read("cloudflare-tunnel.yaml")),
    "kubernetes.yaml": problem_of(check_manifests, read("kubernetes.yaml")),
    "cloud-run.yaml": problem_of(check_cloud_run, read("cloud-run.yaml")),
    "helm": problem_of(check_manifests, "\n---\n".join(manifests)),
}
wrong = {
    "compose.yaml": problem_of(check_compose, read("compose.yaml").replace("restart:", "restarts:")),
    "kubernetes.yaml": problem_of(check_manifests, read("kubernetes.yaml").replace("replicas:", "replicants:")),
    "cloud-run.yaml": problem_of(check_cloud_run, read("cloud-run.yaml").replace("failureThreshold", "failures")),
}
lint = helm.lint(str(deploy / "helm"))
print(
    json.dumps(
        {
            "problems": problems,
            "wrong": wrong,
            "helm": rendered,
            # Severity 1 is a recommendation.
            "lint": [each for each in lint["messages"] if each["severity"] > 1] + lint["errors"],
            "fly": tomllib.loads(read("fly.toml")),
        }
    )
)
