// The operator of test/examples/operator, tested from Go with controller-runtime, in the folder that it is in:
// npx quarterdeck test -- go test
package operator

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var api client.WithWatch

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func TestMain(m *testing.M) {
	ctrl.SetLogger(klog.Background())
	made, err := client.NewWithWatch(ctrl.GetConfigOrDie(), client.Options{})
	must(err)
	api = made
	text, err := exec.Command("npx", "quarterdeck", "define", "site.ts").Output()
	must(err)
	definition := &unstructured.Unstructured{}
	must(yaml.Unmarshal(text, &definition.Object))
	must(api.Create(context.Background(), definition))
	operator := exec.Command("node", "operator.ts")
	must(operator.Start())
	code := m.Run()
	must(operator.Process.Signal(syscall.SIGTERM))
	_ = operator.Wait()
	os.Exit(code)
}

// world is a namespace of a test's own.
type world struct {
	*testing.T
	ctx       context.Context
	namespace string
}

func newWorld(t *testing.T) world {
	name := strings.ToLower(t.Name())
	must(api.Create(t.Context(), &core.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))
	limited, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return world{t, limited, name}
}

func newSite(w world, spec map[string]any) *unstructured.Unstructured {
	if spec["host"] == nil {
		spec["host"] = w.namespace + ".example.com"
	}
	site := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	site.SetAPIVersion("example.com/v1")
	site.SetKind("Site")
	site.SetNamespace(w.namespace)
	site.SetName("blog")
	return site
}

func sites() *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("example.com/v1")
	list.SetKind("SiteList")
	return list
}

// eventually follows a watch, which begins with what is there or with what changed since a version, until it is so.
func eventually(w world, list client.ObjectList, since string, isSo func(event watch.Event) bool) client.Object {
	w.Helper()
	raw := &metav1.ListOptions{ResourceVersion: since}
	events, err := api.Watch(w.ctx, list, &client.ListOptions{Namespace: w.namespace, Raw: raw})
	must(err)
	defer events.Stop()
	for event := range events.ResultChan() {
		if isSo(event) {
			return event.Object.(client.Object)
		}
	}
	w.Fatal("it has not come")
	return nil
}

func deployment(w world, isSo func(seen *apps.Deployment) bool) *apps.Deployment {
	w.Helper()
	return eventually(w, &apps.DeploymentList{}, "", func(event watch.Event) bool {
		seen, is := event.Object.(*apps.Deployment)
		return is && event.Type != watch.Deleted && isSo(seen)
	}).(*apps.Deployment)
}

func ready(w world, status string) *unstructured.Unstructured {
	w.Helper()
	return eventually(w, sites(), "", func(event watch.Event) bool {
		conditions, _, _ := unstructured.NestedSlice(event.Object.(*unstructured.Unstructured).Object, "status", "conditions")
		return len(conditions) == 1 && conditions[0].(map[string]any)["status"] == status
	}).(*unstructured.Unstructured)
}

func TestASiteBecomesADeployment(t *testing.T) {
	w := newWorld(t)
	site := newSite(w, map[string]any{"image": "blog:7", "replicas": int64(3)})
	must(api.Create(w.ctx, site))
	seen := deployment(w, func(seen *apps.Deployment) bool { return *seen.Spec.Replicas == 3 })
	if image := seen.Spec.Template.Spec.Containers[0].Image; image != "blog:7" {
		t.Errorf("the image is %s", image)
	}
	if !metav1.IsControlledBy(seen, site) {
		t.Error("the deployment does not belong to the site")
	}
}

func TestASiteThatIsWrongIsRefused(t *testing.T) {
	w := newWorld(t)
	if err := api.Create(w.ctx, newSite(w, map[string]any{"host": "blog"})); err == nil || !strings.Contains(err.Error(), "spec.host") {
		t.Errorf("it was answered with %v", err)
	}
}

func TestWhatSomebodyChangesIsPutRight(t *testing.T) {
	w := newWorld(t)
	must(api.Create(w.ctx, newSite(w, map[string]any{})))
	ready(w, "False")
	seen := deployment(w, func(*apps.Deployment) bool { return true })
	must(api.Patch(w.ctx, seen, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":9}}`))))
	deployment(w, func(seen *apps.Deployment) bool { return *seen.Spec.Replicas == 1 })
}

func TestTheStatusFollowsTheDeployment(t *testing.T) {
	w := newWorld(t)
	must(api.Create(w.ctx, newSite(w, map[string]any{"replicas": int64(2)})))
	ready(w, "False")
	seen := deployment(w, func(*apps.Deployment) bool { return true })
	told := `{"status":{"replicas":2,"readyReplicas":2,"availableReplicas":2}}`
	must(api.Status().Patch(w.ctx, seen, client.RawPatch("application/merge-patch+json", []byte(told))))
	ready(w, "True")
}

func TestAllGoesWithTheSite(t *testing.T) {
	w := newWorld(t)
	must(api.Create(w.ctx, newSite(w, map[string]any{})))
	site := ready(w, "False")
	isGone := func(event watch.Event) bool { return event.Type == watch.Deleted }
	must(api.Delete(w.ctx, site))
	eventually(w, sites(), site.GetResourceVersion(), isGone)
	eventually(w, &apps.DeploymentList{}, site.GetResourceVersion(), isGone)
}
