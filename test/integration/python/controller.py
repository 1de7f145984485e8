# A controller as people write them with the official client: it lists and watches a custom kind, keeps a finalizer on its
# objects and tells in their status what it has seen. It prints a line for everything that it does.
import sys
import time

import urllib3
from kubernetes import client, config, watch

GROUP, VERSION, PLURAL, NAMESPACE = "demo.example.com", "v1", "widgets", "default"
FINALIZER = "demo.example.com/cleanup"


def say(text):
    print(text, flush=True)


def reconcile(api, widget):
    name = widget["metadata"]["name"]
    place = (GROUP, VERSION, NAMESPACE, PLURAL, name)
    finalizers = widget["metadata"].get("finalizers", [])
    if "deletionTimestamp" in widget["metadata"]:
        if FINALIZER in finalizers:
            rest = [one for one in finalizers if one != FINALIZER]
            api.patch_namespaced_custom_object(*place, {"metadata": {"finalizers": rest}})
            say(f"released {name}")
        return
    if FINALIZER not in finalizers:
        widget["metadata"]["finalizers"] = [*finalizers, FINALIZER]
        api.replace_namespaced_custom_object(*place, widget)
        return
    size = widget.get("spec", {}).get("size")
    if widget.get("status", {}).get("observed") != size:
        api.patch_namespaced_custom_object_status(*place, {"status": {"observed": size}})
        say(f"observed {name} {size}")


def main():
    config.load_kube_config(sys.argv[1])
    api = client.CustomObjectsApi()
    while True:
        try:
            listed = api.list_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL)
            for widget in listed["items"]:
                reconcile(api, widget)
            since = listed["metadata"]["resourceVersion"]
            events = watch.Watch().stream(
                api.list_namespaced_custom_object, GROUP, VERSION, NAMESPACE, PLURAL, resource_version=since
            )
            for event in events:
                if event["type"] in ("ADDED", "MODIFIED"):
                    reconcile(api, event["object"])
        except (client.ApiException, urllib3.exceptions.HTTPError):
            time.sleep(0.2)


main()
