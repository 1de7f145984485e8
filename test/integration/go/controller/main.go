// A controller as people write them with controller-runtime: it holds a lease, watches a custom kind, keeps a finalizer on
// its objects and tells in their status what it has seen. It prints a line for everything that it does.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "demo.example.com/cleanup"

var widget = schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "Widget"}

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(widget)
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !object.GetDeletionTimestamp().IsZero() {
		if controllerutil.RemoveFinalizer(object, finalizer) {
			fmt.Printf("released %s\n", request.Name)
			return ctrl.Result{}, client.IgnoreNotFound(r.Update(ctx, object))
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(object, finalizer) {
		return ctrl.Result{}, r.Update(ctx, object)
	}
	size, _, _ := unstructured.NestedInt64(object.Object, "spec", "size")
	seen, found, _ := unstructured.NestedInt64(object.Object, "status", "observed")
	if found && seen == size {
		return ctrl.Result{}, nil
	}
	if err := unstructured.SetNestedField(object.Object, size, "status", "observed"); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Status().Update(ctx, object); err != nil {
		return ctrl.Result{}, err
	}
	fmt.Printf("observed %s %d\n", request.Name, size)
	return ctrl.Result{}, nil
}

func main() {
	// The flag --kubeconfig is controller-runtime's own.
	flag.Parse()
	ctrl.SetLogger(klog.Background())
	lease, renew, retry := 6*time.Second, 4*time.Second, 500*time.Millisecond
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                  runtime.NewScheme(),
		Metrics:                 server.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "widgets",
		LeaderElectionNamespace: "default",
		LeaseDuration:           &lease,
		RenewDeadline:           &renew,
		RetryPeriod:             &retry,
	})
	if err != nil {
		fail(err)
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(widget)
	if err := ctrl.NewControllerManagedBy(manager).Named("widgets").For(object).Complete(&reconciler{manager.GetClient()}); err != nil {
		fail(err)
	}
	go func() {
		<-manager.Elected()
		fmt.Println("elected")
	}()
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
