# The tests of the operator for those who write theirs in Python, with the official client:
#
#     quarterdeck test --dev --virtual-clock -- python3 operator_test.py
import datetime
import sys
import unittest

from kubernetes.client import ApiException
from world import Clock, Fault, World, ask, condition, found, install, start_operator, stop_operator, until

WAITING = condition("False", "Waiting")
SERVING = condition("True", "Serving")
SITES = {"resource": "sites.example.com"}
LEADER = "/apis/coordination.k8s.io/v1/namespaces/default/leases/site-operator"

tests = unittest.TestSuite()
# The one that leads, unless a test is about that.
operators = []


class Test(unittest.FunctionTestCase):
    """Has a world of its own, and the name that it is given."""

    def __init__(self, name, check):
        # What a test that fails leaves behind is not to fail the next one.
        super().__init__(lambda: check(World()), tearDown=lambda: ask("DELETE", "/debug/faults"))
        self.name = name

    def __str__(self):
        return self.name


def test(name):
    return lambda check: tests.addTest(Test(name, check))


def containers(**container):
    return {"template": {"spec": {"containers": [container]}}}


@test("a site > has defaults")
def _(world):
    spec = world.create_site()["spec"]
    world.assertEqual(spec, {"host": world.host, "image": "nginx:1", "replicas": 1, "paused": False})


def refuse(what, spec, field):
    @test(f"a site > is refused with {what}")
    def _(world):
        with world.assertRaisesRegex(ApiException, field):
            world.create_site(**spec)


refuse("a host without a domain", {"host": "blog"}, r"spec\.host")
refuse("a host in capitals", {"host": "Blog.example.com"}, r"spec\.host")
refuse("too many replicas", {"replicas": 51}, r"spec\.replicas")
refuse("no image", {"image": ""}, r"spec\.image")


@test("a site > keeps its host")
def _(world):
    world.create_site()
    with world.assertRaisesRegex(ApiException, "the host cannot change"):
        world.patch("sites", {"spec": {"host": "other.example.com"}})


@test("a site > can be scaled")
def _(world):
    world.settled()
    world.patch("sites", {"spec": {"replicas": 4}}, "/scale")
    world.eventually("deployments", {"spec": {"replicas": 4}})


@test("what a site becomes > is a deployment")
def _(world):
    world.create_site(image="blog:7", replicas=3)
    world.eventually("deployments", {"spec": {"replicas": 3, **containers(name="web", image="blog:7")}})


@test("what a site becomes > is a service, which leads to the pods of the deployment")
def _(world):
    world.settled()
    labels = world.get("deployments")["spec"]["template"]["metadata"]["labels"]
    world.eventually("services", {"spec": {"selector": labels, "ports": [{"port": 80}]}})


@test("what a site becomes > belongs to the site")
def _(world):
    world.settled()
    owner = {"kind": "Site", "name": "blog", "uid": world.get("sites")["metadata"]["uid"], "controller": True}
    for plural in ("deployments", "services"):
        world.eventually(plural, {"metadata": {"ownerReferences": [owner]}})


@test("what a site becomes > follows the site")
def _(world):
    world.settled()
    world.patch("sites", {"spec": {"image": "blog:8", "replicas": 2}})
    world.eventually("deployments", {"spec": {"replicas": 2, **containers(image="blog:8")}})


@test("what a site becomes > is put right when somebody changes it")
def _(world):
    world.settled()
    world.patch("deployments", {"spec": {"replicas": 9}})
    world.eventually("deployments", {"spec": {"replicas": 1}})


@test("what a site becomes > keeps what others add to it")
def _(world):
    world.settled()
    note = {"metadata": {"annotations": {"note": "mine"}}}
    world.patch("deployments", {**note, "spec": {"replicas": 9}})
    world.eventually("deployments", {**note, "spec": {"replicas": 1}})


def come_back(kind, plural):
    @test(f"what a site becomes > comes back when the {kind} is deleted")
    def _(world):
        world.settled()
        uid = world.get(plural)["metadata"]["uid"]
        world.delete(plural)
        until(lambda: (found(world.place(plural)) or {"metadata": {"uid": uid}})["metadata"]["uid"] != uid)


come_back("deployment", "deployments")
come_back("service", "services")


@test("what a site becomes > is apart from what sites in other namespaces become")
def _(world):
    other = World()
    world.settled(image="here:1")
    other.settled(image="there:1")
    other.eventually("deployments", {"spec": containers(image="there:1")})
    world.eventually("deployments", {"spec": containers(image="here:1")})


@test("the status > says what is missing")
def _(world):
    world.create_site(replicas=2)
    conditions = [{"message": "0 of 2 replicas are ready"}]
    world.eventually("sites", {"status": {"observedGeneration": 1, "readyReplicas": 0, "conditions": conditions}})


@test("the status > says when all is ready")
def _(world):
    world.settled(replicas=2)
    world.run_pods(2)
    world.eventually("sites", SERVING)


@test("the status > says when that is over")
def _(world):
    world.settled()
    world.run_pods(1)
    world.eventually("sites", SERVING)
    world.run_pods(0)
    world.eventually("sites", WAITING)


@test("the status > tells of which generation it is")
def _(world):
    world.settled()
    world.patch("sites", {"spec": {"image": "blog:2"}})
    world.eventually("sites", {"metadata": {"generation": 2}, "status": {"observedGeneration": 2}})


@test("the status > has the time of the last transition")
def _(world):
    world.settled(replicas=2)
    began = Clock.now()
    Clock.advance("5m")
    for ready, wanted in ((1, began), (2, began + datetime.timedelta(minutes=5))):
        world.run_pods(ready)
        site = world.eventually("sites", {"status": {"readyReplicas": ready}})
        transition = site["status"]["conditions"][0]["lastTransitionTime"]
        world.assertEqual(datetime.datetime.fromisoformat(transition), wanted)


@test("the status > says that a site is paused, which is left alone")
def _(world):
    world.settled()
    world.patch("sites", {"spec": {"paused": True, "replicas": 5}})
    world.eventually("sites", condition("Unknown", "Paused"))
    world.assertEqual(world.get("deployments")["spec"]["replicas"], 1)


@test("the host name > is claimed for the site, but not before it is sure to be released")
def _(world):
    finalizing = Fault("hold", {**SITES, "verb": "patch", "namespace": world.namespace})
    world.create_site()
    until(lambda: finalizing.hits == 1)
    world.assertIsNone(found(world.lease))
    finalizing.remove()
    world.eventually(world.lease, {"spec": {"holderIdentity": world.owner}})
    world.eventually("sites", {"metadata": {"finalizers": ["example.com/host"]}})


@test("the host name > is released when the site goes, and all that belongs to it goes too")
def _(world):
    world.settled()
    world.delete("sites")
    world.eventually_gone("sites", world.lease, "deployments", "services")


@test("the host name > keeps the site until it is released")
def _(world):
    world.settled()
    closed = Fault("fail", {"verb": "delete", "resource": "leases", "name": world.host}, status=500, times=2)
    world.delete("sites")
    world.eventually_gone("sites", world.lease)
    world.assertEqual(closed.hits, 2)


@test("the host name > is released also for a site that is paused")
def _(world):
    world.settled()
    world.patch("sites", {"spec": {"paused": True}})
    world.delete("sites")
    world.eventually_gone("sites", world.lease)


@test("the host name > may belong to another, until that one lets go of it")
def _(world):
    lease = {"metadata": {"name": world.host}, "spec": {"holderIdentity": "somebody"}}
    ask("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", lease)
    world.create_site()
    world.eventually("sites", condition("False", "HostNotClaimed", message=f"{world.host} belongs to somebody"))
    ask("DELETE", world.lease)
    world.eventually("sites", WAITING)


@test("the host name > is asked for again when that fails")
def _(world):
    later = Fault("fail", {"verb": "create", "resource": "leases", "name": world.host}, status=500, times=2)
    world.settled()
    world.eventually(world.lease, {"spec": {"holderIdentity": world.owner}})
    world.assertEqual(later.hits, 2)


@test("the operator > writes nothing when nothing has changed")
def _(world):
    world.settled()
    version = world.get("sites")["metadata"]["resourceVersion"]
    match = {**SITES, "verb": "patch", "subresource": "status", "name": "blog", "namespace": world.namespace}
    # It does no harm, and counts.
    reports = Fault("delay", match, milliseconds=0, times="always")
    world.patch("deployments", {"metadata": {"labels": {"touched": "yes"}}})
    until(lambda: reports.hits > 0)
    reports.remove()
    # One site after the other: when the next one is done, this one is.
    World().settled()
    world.assertEqual(world.get("sites")["metadata"]["resourceVersion"], version)


@test("the operator > goes on after a restart with what happened meanwhile")
def _(world):
    world.settled()
    stop_operator(operators.pop())
    world.patch("sites", {"spec": {"replicas": 6}})
    operators.append(start_operator("first"))
    world.eventually("deployments", {"spec": {"replicas": 6}})


@test("the operator > tries again what the server refuses")
def _(world):
    match = {"verb": "patch", "resource": "deployments.apps", "namespace": world.namespace}
    refused = Fault("fail", match, status=500, times=3)
    world.settled()
    world.assertEqual(refused.hits, 3)


@test("the operator > gives way where somebody else was faster")
def _(world):
    outdated = Fault("fail", {**SITES, "verb": "patch", "namespace": world.namespace}, status=409)
    world.create_site()
    until(lambda: outdated.hits == 1)
    world.patch("sites", {"spec": {"replicas": 3}})
    world.eventually("deployments", {"spec": {"replicas": 3}})


@test("the operator > misses nothing while its watches are cut")
def _(world):
    world.settled()
    world.assertGreater(Fault("cutWatches", SITES).hits, 0)
    world.patch("sites", {"spec": {"replicas": 3}})
    world.eventually("deployments", {"spec": {"replicas": 3}})


@test("the operator > waits while another leads, and takes over when that one ends")
def _(world):
    world.settled()
    operators.append(start_operator("next"))
    world.patch("sites", {"spec": {"replicas": 2}})
    world.eventually("deployments", {"spec": {"replicas": 2}})
    world.eventually(LEADER, {"spec": {"holderIdentity": "first"}})
    stop_operator(operators.pop(0))
    world.eventually(LEADER, {"spec": {"holderIdentity": "next"}})
    world.patch("sites", {"spec": {"replicas": 3}})
    world.eventually("deployments", {"spec": {"replicas": 3}})


if __name__ == "__main__":
    install()
    operators.append(start_operator("first"))
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    for operator in operators:
        stop_operator(operator)
    sys.exit(not result.wasSuccessful())
