# The operator, tested from Python: npx quarterdeck test -- python3 -m unittest test_operator
import os
import subprocess
import unittest

import yaml
from kubernetes import client, config, utils, watch

FOLDER = os.path.dirname(os.path.abspath(__file__))
SITES = ("example.com", "v1")


def setUpModule():
    config.load_kube_config()
    definition = subprocess.check_output(["npx", "quarterdeck", "define", "site.ts"], cwd=FOLDER)
    utils.create_from_dict(client.ApiClient(), yaml.safe_load(definition))
    operator = subprocess.Popen(["node", "operator.ts"], cwd=FOLDER, stdout=subprocess.DEVNULL)
    unittest.addModuleCleanup(operator.wait)
    unittest.addModuleCleanup(operator.terminate)


class OperatorTest(unittest.TestCase):
    def setUp(self):
        self.namespace = self._testMethodName.replace("_", "-")
        client.CoreV1Api().create_namespace({"metadata": {"name": self.namespace}})
        self.apps = client.AppsV1Api()
        self.custom = client.CustomObjectsApi()

    def create(self, **spec):
        spec = {"host": f"{self.namespace}.example.com", **spec}
        body = {"apiVersion": "example.com/v1", "kind": "Site", "metadata": {"name": "blog"}, "spec": spec}
        return self.custom.create_namespaced_custom_object(*SITES, self.namespace, "sites", body)

    def eventually(self, is_so, since, follow, *args):
        """Follows a watch until it is so. It begins with what is there, or with what changed since a version; None is gone."""
        for event in watch.Watch().stream(follow, *args, timeout_seconds=20, **since):
            seen = None if event["type"] == "DELETED" else event["object"]
            if is_so(seen):
                return seen
        self.fail("it has not come")

    def deployment(self, is_so, **since):
        return self.eventually(is_so, since, self.apps.list_namespaced_deployment, self.namespace)

    def site(self, is_so, **since):
        follow = self.custom.list_namespaced_custom_object
        return self.eventually(is_so, since, follow, *SITES, self.namespace, "sites")

    def ready(self, status):
        def is_so(site):
            conditions = (site or {}).get("status", {}).get("conditions", [])
            return any(one["type"] == "Ready" and one["status"] == status for one in conditions)

        return self.site(is_so)

    def test_a_site_becomes_a_deployment(self):
        made = self.create(image="blog:7", replicas=3)
        deployment = self.deployment(lambda seen: seen.spec.replicas == 3)
        self.assertEqual(deployment.spec.template.spec.containers[0].image, "blog:7")
        self.assertEqual(deployment.metadata.owner_references[0].uid, made["metadata"]["uid"])

    def test_a_site_that_is_wrong_is_refused(self):
        with self.assertRaisesRegex(client.ApiException, "spec.host"):
            self.create(host="blog")

    def test_what_somebody_changes_is_put_right(self):
        self.create()
        self.ready("False")
        self.apps.patch_namespaced_deployment("blog", self.namespace, {"spec": {"replicas": 9}})
        self.deployment(lambda seen: seen.spec.replicas == 1)

    def test_the_status_follows_the_deployment(self):
        self.create(replicas=2)
        self.ready("False")
        status = {"status": {"replicas": 2, "readyReplicas": 2, "availableReplicas": 2}}
        self.apps.patch_namespaced_deployment_status("blog", self.namespace, status)
        self.assertEqual(self.ready("True")["status"]["readyReplicas"], 2)

    def test_all_goes_with_the_site(self):
        self.create()
        metadata = self.ready("False")["metadata"]
        self.assertEqual(metadata["finalizers"], ["example.com/host"])
        self.custom.delete_namespaced_custom_object(*SITES, self.namespace, "sites", "blog")
        for gone in (self.site, self.deployment):
            gone(lambda seen: seen is None, resource_version=metadata["resourceVersion"])


if __name__ == "__main__":
    unittest.main()
