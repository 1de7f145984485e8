// What the tests of the operator are written with: a namespace for each, objects as YAML, and the operator as a program beside them.
package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

const patience = 30 * time.Second

var (
	ctx     = context.Background()
	config  *rest.Config
	objects client.Client
	// The one that leads, unless a test is about that.
	leader  *exec.Cmd
	started []*exec.Cmd
)

var apiVersions = map[string]string{
	"Site": "example.com/v1", "Deployment": "apps/v1", "Lease": "coordination.k8s.io/v1", "Service": "v1", "Namespace": "v1",
}

func TestMain(m *testing.M) {
	ctrl.SetLogger(klog.Background())
	environment := &envtest.Environment{CRDDirectoryPaths: []string{"../site.yaml"}}
	var err error
	if config, err = environment.Start(); err != nil {
		panic(err)
	}
	config.QPS = -1
	if objects, err = client.New(config, client.Options{}); err != nil {
		panic(err)
	}
	leader = startOperator("first")
	code := m.Run()
	for _, operator := range started {
		stopOperator(operator)
	}
	if err := environment.Stop(); err != nil {
		panic(err)
	}
	os.Exit(code)
}

func startOperator(identity string) *exec.Cmd {
	operator := exec.Command("node", "../main.ts", "--virtual-time", "--retry-ms=5", "--retry-period-ms=20", "--identity="+identity)
	operator.Stderr = os.Stderr
	if err := operator.Start(); err != nil {
		panic(err)
	}
	started = append(started, operator)
	return operator
}

func stopOperator(operator *exec.Cmd) {
	_ = operator.Process.Signal(syscall.SIGTERM)
	_ = operator.Wait()
}

// The world of one test: a namespace, and a host name that nobody else asks for.
type world struct {
	*testing.T
	namespace, host string
}

func newWorld(t *testing.T) *world {
	namespace := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"generateName": "test-"}}}
	setKind(namespace, "Namespace")
	if err := objects.Create(ctx, namespace); err != nil {
		t.Fatal(err)
	}
	w := &world{t, namespace.GetName(), namespace.GetName() + ".example.com"}
	// What a test that fails leaves behind is not to fail the next one.
	t.Cleanup(func() { w.debug("DELETE", "faults", "") })
	return w
}

func setKind(object *unstructured.Unstructured, kind string) {
	object.SetAPIVersion(apiVersions[kind])
	object.SetKind(kind)
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func parse(text string) map[string]any {
	var parsed map[string]any
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		panic(err)
	}
	return parsed
}

// Where an object is, without what is in it.
func (w *world) named(kind, namespace, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	setKind(object, kind)
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

func (w *world) blog(kind string) *unstructured.Unstructured {
	return w.named(kind, w.namespace, "blog")
}

func (w *world) hostLease() *unstructured.Unstructured { return w.named("Lease", "default", w.host) }

func (w *world) createSite(spec string) (*unstructured.Unstructured, error) {
	site := w.blog("Site")
	fields := parse(spec)
	if fields == nil {
		fields = map[string]any{}
	}
	if _, given := fields["host"]; !given {
		fields["host"] = w.host
	}
	site.Object["spec"] = fields
	return site, objects.Create(ctx, site)
}

// Makes a site and waits until the operator has done all it can about it.
func (w *world) settled(spec string) {
	w.Helper()
	_, err := w.createSite(spec)
	w.must(err)
	w.eventually(w.blog("Site"), waiting)
	// Sites are looked at one after the other: when a later one is done, so is what followed from the report about this one.
	later := w.named("Site", w.namespace, "later")
	later.Object["spec"] = map[string]any{"host": "later." + w.host}
	w.must(objects.Create(ctx, later))
	w.eventually(later, waiting)
}

func (w *world) get(object *unstructured.Unstructured) *unstructured.Unstructured {
	w.Helper()
	w.must(objects.Get(ctx, client.ObjectKeyFromObject(object), object))
	return object
}

func mergePatch(text string) client.Patch {
	body, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	return client.RawPatch(types.MergePatchType, body)
}

func (w *world) patch(kind, patch string) {
	w.Helper()
	w.must(objects.Patch(ctx, w.blog(kind), mergePatch(patch)))
}

func (w *world) delete(kind string) {
	w.Helper()
	w.must(objects.Delete(ctx, w.blog(kind)))
}

// What a kube-controller-manager and kubelets would tell.
func (w *world) run(ready int) {
	w.Helper()
	status := fmt.Sprintf("status: {replicas: %d, readyReplicas: %d, availableReplicas: %d}", ready, ready, ready)
	w.must(objects.Status().Patch(ctx, w.blog("Deployment"), mergePatch(status)))
}

// Waits until the object has all of it.
func (w *world) eventually(object *unstructured.Unstructured, wanted string) *unstructured.Unstructured {
	w.Helper()
	fields := parse(wanted)
	w.until(func() (bool, string) {
		err := objects.Get(ctx, client.ObjectKeyFromObject(object), object)
		seen, _ := yaml.Marshal(object.Object)
		return err == nil && contains(object.Object, fields), fmt.Sprintf("wanted %s\nseen (%v):\n%s", wanted, err, seen)
	})
	return object
}

func (w *world) eventuallyGone(object *unstructured.Unstructured) {
	w.Helper()
	w.until(func() (bool, string) {
		err := objects.Get(ctx, client.ObjectKeyFromObject(object), object)
		return errors.IsNotFound(err), fmt.Sprintf("%s %s is still there: %v", object.GetKind(), object.GetName(), err)
	})
}

func (w *world) until(isSo func() (bool, string)) {
	w.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		is, otherwise := isSo()
		if is {
			return
		}
		if time.Now().After(deadline) {
			w.Fatal(otherwise)
		}
	}
}

// Whether it has what is wanted, and maybe more; of lists, as many items from the beginning.
func contains(seen, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		fields, _ := seen.(map[string]any)
		for name, value := range wanted {
			if !contains(fields[name], value) {
				return false
			}
		}
		return true
	case []any:
		items, _ := seen.([]any)
		for i, value := range wanted {
			if i >= len(items) || !contains(items[i], value) {
				return false
			}
		}
		return true
	default:
		// Numbers are of several types.
		return fmt.Sprint(seen) == fmt.Sprint(wanted)
	}
}

// Asks for what the API does not have: faults and time (`quarterdeck test --dev --virtual-clock`).
func (w *world) debug(method, path, body string) map[string]any {
	w.Helper()
	httpClient, err := rest.HTTPClientFor(config)
	w.must(err)
	content, err := yaml.YAMLToJSON([]byte(body))
	w.must(err)
	request, err := http.NewRequest(method, strings.TrimSuffix(config.Host, "/")+"/debug/"+path, bytes.NewReader(content))
	w.must(err)
	response, err := httpClient.Do(request)
	w.must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	w.must(err)
	if response.StatusCode >= 300 {
		w.Fatalf("%s %s: %s", method, path, text)
	}
	answer := map[string]any{}
	w.must(json.Unmarshal(text, &answer))
	return answer
}

type fault struct {
	*world
	id string
}

func (w *world) inject(spec string) fault {
	w.Helper()
	return fault{w, w.debug("POST", "faults", spec)["id"].(string)}
}

func (f fault) hits() int { return int(f.debug("GET", "faults/"+f.id, "")["hits"].(float64)) }

func (f fault) remove() { f.debug("DELETE", "faults/"+f.id, "") }

// What time it is for the server.
func (w *world) now() time.Time {
	now, err := time.Parse(time.RFC3339, w.debug("GET", "clock", "")["now"].(string))
	w.must(err)
	return now
}
