# A test as people write them without any library: it finds the server by KUBECONFIG, makes an object and reads it back.
import base64
import json
import os
import ssl
import sys
import urllib.request

with open(os.environ["KUBECONFIG"]) as file:
    kubeconfig = json.load(file)
cluster = kubeconfig["clusters"][0]["cluster"]
token = kubeconfig["users"][0]["user"]["token"]
authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
# The server is on this machine: not over a proxy, whatever the environment says.
opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}),
    urllib.request.HTTPSHandler(context=ssl.create_default_context(cadata=authority)),
)


def ask(path, body=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with opener.open(urllib.request.Request(cluster["server"] + path, data, headers)) as answer:
        return json.load(answer)


maps = "/api/v1/namespaces/default/configmaps"
ask(maps, {"metadata": {"name": "snake"}, "data": {"said": sys.stdin.read().strip()}})
print(ask(f"{maps}/snake")["data"]["said"])
