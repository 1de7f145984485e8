// The tests of the operator for those who write theirs in Go, with controller-runtime:
//
//	quarterdeck test --dev --virtual-clock -- go test
package operator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	waiting = "status: {conditions: [{type: Ready, status: 'False', reason: Waiting}]}"
	serving = "status: {conditions: [{type: Ready, status: 'True', reason: Serving}]}"
	// The deployment has one container.
	image = "spec: {template: {spec: {containers: [{image: '%s'}]}}}"
)

type check struct {
	name string
	run  func(*world)
}

func TestOperator(t *testing.T) {
	groups := []struct {
		name   string
		checks []check
	}{
		{"a site", aSite},
		{"what a site becomes", whatASiteBecomes},
		{"the status", theStatus},
		{"the host name", theHostName},
		{"the operator", theOperator},
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			for _, check := range group.checks {
				t.Run(check.name, func(t *testing.T) { check.run(newWorld(t)) })
			}
		})
	}
}

func refused(spec, field string) func(*world) {
	return func(w *world) {
		if _, err := w.createSite(spec); err == nil || !strings.Contains(err.Error(), field) {
			w.Fatalf("wanted an error about %s, got %v", field, err)
		}
	}
}

var aSite = []check{
	{"has defaults", func(w *world) {
		site, err := w.createSite("")
		w.must(err)
		w.eventually(site, fmt.Sprintf("spec: {host: %s, image: 'nginx:1', replicas: 1, paused: false}", w.host))
	}},
	{"is refused with a host without a domain", refused("host: blog", "spec.host")},
	{"is refused with a host in capitals", refused("host: Blog.example.com", "spec.host")},
	{"is refused with too many replicas", refused("replicas: 51", "spec.replicas")},
	{"is refused with no image", refused("image: ''", "spec.image")},
	{"keeps its host", func(w *world) {
		site, err := w.createSite("")
		w.must(err)
		err = objects.Patch(ctx, site, mergePatch("spec: {host: other.example.com}"))
		if err == nil || !strings.Contains(err.Error(), "the host cannot change") {
			w.Fatal(err)
		}
	}},
	{"can be scaled", func(w *world) {
		w.settled("")
		scale := &unstructured.Unstructured{}
		scale.SetAPIVersion("autoscaling/v1")
		scale.SetKind("Scale")
		patched := client.WithSubResourceBody(scale)
		w.must(objects.SubResource("scale").Patch(ctx, w.blog("Site"), mergePatch("spec: {replicas: 4}"), patched))
		w.eventually(w.blog("Deployment"), "spec: {replicas: 4}")
	}},
}

func comesBack(kind string) func(*world) {
	return func(w *world) {
		w.settled("")
		before := w.get(w.blog(kind)).GetUID()
		w.delete(kind)
		w.until(func() (bool, string) {
			object := w.blog(kind)
			err := objects.Get(ctx, client.ObjectKeyFromObject(object), object)
			return err == nil && object.GetUID() != before, fmt.Sprintf("the %s did not come back: %v", kind, err)
		})
	}
}

var whatASiteBecomes = []check{
	{"is a deployment", func(w *world) {
		_, err := w.createSite("{image: 'blog:7', replicas: 3}")
		w.must(err)
		w.eventually(w.blog("Deployment"), "spec: {replicas: 3, template: {spec: {containers: [{name: web, image: 'blog:7'}]}}}")
	}},
	{"is a service, which leads to the pods of the deployment", func(w *world) {
		w.settled("")
		w.eventually(w.blog("Deployment"), "spec: {template: {metadata: {labels: {site: blog}}}}")
		w.eventually(w.blog("Service"), "spec: {selector: {site: blog}, ports: [{port: 80}]}")
	}},
	{"belongs to the site", func(w *world) {
		w.settled("")
		owner := fmt.Sprintf("{kind: Site, name: blog, uid: %s, controller: true}", w.get(w.blog("Site")).GetUID())
		for _, kind := range []string{"Deployment", "Service"} {
			w.eventually(w.blog(kind), fmt.Sprintf("metadata: {ownerReferences: [%s]}", owner))
		}
	}},
	{"follows the site", func(w *world) {
		w.settled("")
		w.patch("Site", "spec: {image: 'blog:8', replicas: 2}")
		w.eventually(w.blog("Deployment"), "spec: {replicas: 2, template: {spec: {containers: [{image: 'blog:8'}]}}}")
	}},
	{"is put right when somebody changes it", func(w *world) {
		w.settled("")
		w.patch("Deployment", "spec: {replicas: 9}")
		w.eventually(w.blog("Deployment"), "spec: {replicas: 1}")
	}},
	{"keeps what others add to it", func(w *world) {
		w.settled("")
		w.patch("Deployment", "{metadata: {annotations: {note: mine}}, spec: {replicas: 9}}")
		w.eventually(w.blog("Deployment"), "{metadata: {annotations: {note: mine}}, spec: {replicas: 1}}")
	}},
	{"comes back when the deployment is deleted", comesBack("Deployment")},
	{"comes back when the service is deleted", comesBack("Service")},
	{"is apart from what sites in other namespaces become", func(w *world) {
		other := newWorld(w.T)
		w.settled("image: 'here:1'")
		other.settled("image: 'there:1'")
		w.eventually(other.blog("Deployment"), fmt.Sprintf(image, "there:1"))
		w.eventually(w.blog("Deployment"), fmt.Sprintf(image, "here:1"))
	}},
}

func transition(site *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(site.Object, "status", "conditions")
	return conditions[0].(map[string]any)["lastTransitionTime"].(string)
}

var theStatus = []check{
	{"says what is missing", func(w *world) {
		_, err := w.createSite("replicas: 2")
		w.must(err)
		w.eventually(w.blog("Site"), "status: {observedGeneration: 1, readyReplicas: 0, conditions: [{message: 0 of 2 replicas are ready}]}")
	}},
	{"says when all is ready", func(w *world) {
		w.settled("replicas: 2")
		w.run(2)
		w.eventually(w.blog("Site"), serving)
	}},
	{"says when that is over", func(w *world) {
		w.settled("")
		w.run(1)
		w.eventually(w.blog("Site"), serving)
		w.run(0)
		w.eventually(w.blog("Site"), waiting)
	}},
	{"tells of which generation it is", func(w *world) {
		w.settled("")
		w.patch("Site", "spec: {image: 'blog:2'}")
		w.eventually(w.blog("Site"), "{metadata: {generation: 2}, status: {observedGeneration: 2}}")
	}},
	{"has the time of the last transition", func(w *world) {
		const form = "2006-01-02T15:04:05.000Z"
		w.settled("replicas: 2")
		began := w.now()
		w.debug("POST", "clock", "advance: 5m")
		for ready, wanted := range []time.Time{began, began, began.Add(5 * time.Minute)} {
			w.run(ready)
			site := w.eventually(w.blog("Site"), fmt.Sprintf("status: {readyReplicas: %d}", ready))
			if transition(site) != wanted.Format(form) {
				w.Fatalf("%s instead of %s with %d replicas", transition(site), wanted, ready)
			}
		}
	}},
	{"says that a site is paused, which is left alone", func(w *world) {
		w.settled("")
		w.patch("Site", "spec: {paused: true, replicas: 5}")
		w.eventually(w.blog("Site"), "status: {conditions: [{type: Ready, status: Unknown, reason: Paused}]}")
		if !contains(w.get(w.blog("Deployment")).Object, parse("spec: {replicas: 1}")) {
			w.Fatal("the deployment was changed")
		}
	}},
}

var theHostName = []check{
	{"is claimed for the site, but not before it is sure to be released", func(w *world) {
		finalizing := w.inject(fmt.Sprintf("{fault: hold, match: {verb: patch, resource: sites.example.com, namespace: %s}}", w.namespace))
		site, err := w.createSite("")
		w.must(err)
		w.until(func() (bool, string) { return finalizing.hits() == 1, "no finalizer was set" })
		if err := objects.Get(ctx, client.ObjectKeyFromObject(w.hostLease()), w.hostLease()); client.IgnoreNotFound(err) != nil || err == nil {
			w.Fatalf("claimed before the finalizer was there: %v", err)
		}
		finalizing.remove()
		w.eventually(w.hostLease(), fmt.Sprintf("spec: {holderIdentity: %s/blog}", w.namespace))
		w.eventually(site, "metadata: {finalizers: [example.com/host]}")
	}},
	{"is released when the site goes, and all that belongs to it goes too", func(w *world) {
		w.settled("")
		w.delete("Site")
		for _, object := range []*unstructured.Unstructured{w.blog("Site"), w.hostLease(), w.blog("Deployment"), w.blog("Service")} {
			w.eventuallyGone(object)
		}
	}},
	{"keeps the site until it is released", func(w *world) {
		w.settled("")
		closed := w.inject(fmt.Sprintf("{fault: fail, match: {verb: delete, resource: leases, name: %s}, status: 500, times: 2}", w.host))
		w.delete("Site")
		w.eventuallyGone(w.blog("Site"))
		w.eventuallyGone(w.hostLease())
		if closed.hits() != 2 {
			w.Fatalf("%d attempts failed", closed.hits())
		}
	}},
	{"is released also for a site that is paused", func(w *world) {
		w.settled("")
		w.patch("Site", "spec: {paused: true}")
		w.delete("Site")
		w.eventuallyGone(w.blog("Site"))
		w.eventuallyGone(w.hostLease())
	}},
	{"may belong to another, until that one lets go of it", func(w *world) {
		taken := w.hostLease()
		taken.Object["spec"] = parse("holderIdentity: somebody")
		w.must(objects.Create(ctx, taken))
		site, err := w.createSite("")
		w.must(err)
		w.eventually(site, fmt.Sprintf("status: {conditions: [{reason: HostNotClaimed, message: %s belongs to somebody}]}", w.host))
		w.must(objects.Delete(ctx, taken))
		w.eventually(site, waiting)
	}},
	{"is asked for again when that fails", func(w *world) {
		later := w.inject(fmt.Sprintf("{fault: fail, match: {verb: create, resource: leases, name: %s}, status: 500, times: 2}", w.host))
		w.settled("")
		w.eventually(w.hostLease(), fmt.Sprintf("spec: {holderIdentity: %s/blog}", w.namespace))
		if later.hits() != 2 {
			w.Fatalf("%d attempts failed", later.hits())
		}
	}},
}

var theOperator = []check{
	{"writes nothing when nothing has changed", func(w *world) {
		w.settled("")
		before := w.get(w.blog("Site")).GetResourceVersion()
		// It does no harm, and counts.
		reports := w.inject(fmt.Sprintf(
			"{fault: delay, match: {verb: patch, resource: sites.example.com, subresource: status, name: blog, namespace: %s}, milliseconds: 0, times: always}", w.namespace))
		w.patch("Deployment", "metadata: {labels: {touched: 'yes'}}")
		w.until(func() (bool, string) { return reports.hits() > 0, "nothing was reported" })
		reports.remove()
		// One site after the other: when the next one is done, this one is.
		newWorld(w.T).settled("")
		w.eventually(w.blog("Site"), fmt.Sprintf("metadata: {resourceVersion: '%s'}", before))
	}},
	{"goes on after a restart with what happened meanwhile", func(w *world) {
		w.settled("")
		stopOperator(leader)
		w.patch("Site", "spec: {replicas: 6}")
		leader = startOperator("first")
		w.eventually(w.blog("Deployment"), "spec: {replicas: 6}")
	}},
	{"tries again what the server refuses", func(w *world) {
		refused := w.inject(fmt.Sprintf("{fault: fail, match: {verb: patch, resource: deployments.apps, namespace: %s}, status: 500, times: 3}", w.namespace))
		w.settled("")
		if refused.hits() != 3 {
			w.Fatalf("%d attempts failed", refused.hits())
		}
	}},
	{"gives way where somebody else was faster", func(w *world) {
		outdated := w.inject(fmt.Sprintf("{fault: fail, match: {verb: patch, resource: sites.example.com, namespace: %s}, status: 409}", w.namespace))
		_, err := w.createSite("")
		w.must(err)
		w.until(func() (bool, string) { return outdated.hits() == 1, "nothing was outdated" })
		w.patch("Site", "spec: {replicas: 3}")
		w.eventually(w.blog("Deployment"), "spec: {replicas: 3}")
	}},
	{"misses nothing while its watches are cut", func(w *world) {
		w.settled("")
		if w.inject("{fault: cutWatches, match: {resource: sites.example.com}}").hits() == 0 {
			w.Fatal("there was no watch")
		}
		w.patch("Site", "spec: {replicas: 3}")
		w.eventually(w.blog("Deployment"), "spec: {replicas: 3}")
	}},
	{"waits while another leads, and takes over when that one ends", func(w *world) {
		lease := w.named("Lease", "default", "site-operator")
		w.settled("")
		next := startOperator("next")
		w.patch("Site", "spec: {replicas: 2}")
		w.eventually(w.blog("Deployment"), "spec: {replicas: 2}")
		w.eventually(lease, "spec: {holderIdentity: first}")
		stopOperator(leader)
		leader = next
		w.eventually(lease, "spec: {holderIdentity: next}")
		w.patch("Site", "spec: {replicas: 3}")
		w.eventually(w.blog("Deployment"), "spec: {replicas: 3}")
	}},
}
