"""Makes tokens.json with AWS' own tools at a fixed time:

    pip install developer-toolkit-elasticache==1.1.0 botocore==1.44.8
    python make_tokens.py > tokens.json
"""

import datetime
import json

import botocore.auth
from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from developer_toolkit_elasticache import generate_iam_auth_token

TIME = datetime.datetime(2026, 3, 4, 5, 6, 7, tzinfo=datetime.timezone.utc)
botocore.auth.get_current_datetime = lambda remove_tzinfo=True: (
    TIME.replace(tzinfo=None) if remove_tzinfo else TIME
)

KEYS = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
LASTING = (*KEYS, None)
SESSION = (*KEYS, "IQoJb3JpZ2luX2VjE+/a=b&c d~e*f'(g)!")


def elasticache(request, keys):
    name = "serverless_cache_name" if request["serverless"] else "replication_group_id"
    return generate_iam_auth_token(
        user_id=request["user"],
        region=request["region"],
        credentials=Credentials(*keys),
        **{name: request["name"]},
    )


def memorydb(request, keys):
    url = f"https://{request['name']}/?Action=connect&User={request['user']}"
    signed = AWSRequest(method="GET", url=url)
    SigV4QueryAuth(Credentials(*keys), "memorydb", request["region"], expires=900).add_auth(signed)
    return signed.url.removeprefix("https://")


REQUESTS = [
    ("elasticache", "orders", "iam-user-01", "us-east-1", False, LASTING),
    ("elasticache", "orders", "iam-user-01", "eu-central-1", False, SESSION),
    ("elasticache", "my-public-cache", "default.iam-user", "us-east-1", True, LASTING),
    ("elasticache", "my-public-cache", "default.iam-user", "cn-north-1", True, SESSION),
    ("memorydb", "my-cluster", "iam-user", "us-west-2", False, LASTING),
    ("memorydb", "my-cluster", "iam-user", "ap-northeast-1", False, SESSION),
]

tokens = []
for service, name, user, region, serverless, keys in REQUESTS:
    request = {"service": service, "name": name, "user": user, "region": region, "serverless": serverless}
    make = elasticache if service == "elasticache" else memorydb
    tokens.append({"request": request, "session": keys[2], "token": make(request, keys)})

print(json.dumps({"time": TIME.isoformat(), "accessKeyId": KEYS[0], "secretAccessKey": KEYS[1], "tokens": tokens}, indent=2))
