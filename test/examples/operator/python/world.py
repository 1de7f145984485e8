# What the tests of the operator are written with: a namespace for each, and the operator as a program beside them.
import datetime
import pathlib
import subprocess
import time
import unittest

from kubernetes import client, config, utils

FOLDER = pathlib.Path(__file__).parent.parent
PATIENCE_SECONDS = 30
MERGE = "application/merge-patch+json"
PATHS = {
    "sites": "/apis/example.com/v1",
    "deployments": "/apis/apps/v1",
    "leases": "/apis/coordination.k8s.io/v1",
    "services": "/api/v1",
}

api = config.new_client_from_config()


def ask(method, path, body=None, content_type="application/json"):
    headers = {"Accept": "application/json", "Content-Type": content_type}
    answers = {status: "object" for status in (200, 201, 202)}
    return api.call_api(
        path,
        method,
        header_params=headers,
        body=body,
        response_types_map=answers,
        auth_settings=["BearerToken"],
        _return_http_data_only=True,
    )


def install():
    utils.create_from_yaml(api, str(FOLDER / "site.yaml"))
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/sites.example.com"
    until(lambda: has(ask("GET", path), {"status": {"conditions": [{}, {"type": "Established", "status": "True"}]}}))


def start_operator(identity):
    flags = ["--virtual-time", "--retry-ms=5", "--retry-period-ms=20", f"--identity={identity}"]
    return subprocess.Popen(["node", FOLDER / "main.ts", *flags])


def stop_operator(operator):
    operator.terminate()
    operator.wait()


def until(is_so, otherwise=lambda: "in vain"):
    """Waits for it; fails with what `otherwise` says."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(otherwise())
        time.sleep(0.005)


def has(seen, wanted):
    """Whether it has what is wanted, and maybe more; of lists, as many items from the beginning."""
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and all(has(seen.get(name), value) for name, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(seen, list) and len(seen) >= len(wanted) and all(map(has, seen, wanted))
    return seen == wanted


class Fault:
    """`quarterdeck test --dev`: what is to go wrong."""

    def __init__(self, fault, match, **more):
        self.id = ask("POST", "/debug/faults", {"fault": fault, "match": match, **more})["id"]

    @property
    def hits(self):
        return ask("GET", f"/debug/faults/{self.id}")["hits"]

    def remove(self):
        ask("DELETE", f"/debug/faults/{self.id}")


class Clock:
    """`quarterdeck test --dev --virtual-clock`: the time of the server."""

    @staticmethod
    def now():
        return datetime.datetime.fromisoformat(ask("GET", "/debug/clock")["now"])

    @staticmethod
    def advance(duration):
        ask("POST", "/debug/clock", {"advance": duration})


class World(unittest.TestCase):
    """The world of one test: a namespace, and a host name that nobody else asks for. Objects are named blog."""

    def __init__(self):
        super().__init__()
        made = ask("POST", "/api/v1/namespaces", {"metadata": {"generateName": "test-"}})
        self.namespace = made["metadata"]["name"]
        self.host = f"{self.namespace}.example.com"
        self.owner = f"{self.namespace}/blog"
        self.lease = f"/apis/coordination.k8s.io/v1/namespaces/default/leases/{self.host}"

    def place(self, plural, name="/blog"):
        return f"{PATHS[plural]}/namespaces/{self.namespace}/{plural}{name}"

    def get(self, plural):
        return ask("GET", self.place(plural))

    def create_site(self, **spec):
        return ask("POST", self.place("sites", ""), site(**{"host": self.host, **spec}))

    def patch(self, plural, patch, subresource=""):
        return ask("PATCH", self.place(plural) + subresource, patch, MERGE)

    def delete(self, plural):
        ask("DELETE", self.place(plural))

    def settled(self, **spec):
        """Makes a site and waits until the operator has done all it can about it."""
        waiting = condition("False", "Waiting")
        self.create_site(**spec)
        self.eventually("sites", waiting)
        # Sites are looked at one after the other: when a later one is done, so is what followed from the report about this one.
        ask("POST", self.place("sites", ""), {**site(host=f"later.{self.host}"), "metadata": {"name": "later"}})
        self.eventually(self.place("sites", "/later"), waiting)

    def run_pods(self, ready):
        """What a kube-controller-manager and kubelets would tell."""
        status = {"replicas": ready, "readyReplicas": ready, "availableReplicas": ready}
        self.patch("deployments", {"status": status}, "/status")

    def eventually(self, place, wanted):
        """Waits until the object has all of it; of a plural, the one that is named blog."""
        path = place if place.startswith("/") else self.place(place)
        seen = None

        def is_so():
            nonlocal seen
            seen = found(path)
            return has(seen, wanted)

        until(is_so, lambda: f"wanted {wanted}, seen {seen}")
        return seen

    def eventually_gone(self, *places):
        for place in places:
            path = place if place.startswith("/") else self.place(place)
            until(lambda: found(path) is None, lambda: f"{path} is still there")


def found(path):
    try:
        return ask("GET", path)
    except client.ApiException as error:
        if error.status != 404:
            raise
        return None


def site(**spec):
    return {"apiVersion": "example.com/v1", "kind": "Site", "metadata": {"name": "blog"}, "spec": spec}


def condition(status, reason, **more):
    return {"status": {"conditions": [{"type": "Ready", "status": status, "reason": reason, **more}]}}
