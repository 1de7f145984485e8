// Every verb on ten kinds as a controller written in Go uses them: typed clients of client-go that speak protobuf. Says "ok"
// and the kind for each, or what went wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

type typed[T any, L any] interface {
	Create(context.Context, *T, metav1.CreateOptions) (*T, error)
	Update(context.Context, *T, metav1.UpdateOptions) (*T, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	Get(context.Context, string, metav1.GetOptions) (*T, error)
	List(context.Context, metav1.ListOptions) (*L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*T, error)
}

type object[T any] interface {
	*T
	metav1.Object
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	const ns = "default"
	labels := map[string]string{"app": "verbs"}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i:1"}}},
	}
	job := template
	job.Spec.RestartPolicy = corev1.RestartPolicyNever
	holder := "me"
	one := intstr.FromInt32(1)
	return errors.Join(
		exercise("ConfigMap", client.CoreV1().ConfigMaps(ns), &corev1.ConfigMap{Data: map[string]string{"a": "1"}, BinaryData: map[string][]byte{"b": {0, 1, 255}}}),
		exercise("Secret", client.CoreV1().Secrets(ns), &corev1.Secret{Data: map[string][]byte{"a": {1, 2, 3}}}),
		exercise("Pod", client.CoreV1().Pods(ns), &corev1.Pod{Spec: template.Spec}),
		exercise("ServiceAccount", client.CoreV1().ServiceAccounts(ns), &corev1.ServiceAccount{}),
		exercise("Deployment", client.AppsV1().Deployments(ns), &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Selector: selector, Template: template}}),
		exercise("Job", client.BatchV1().Jobs(ns), &batchv1.Job{Spec: batchv1.JobSpec{Template: job}}),
		exercise("Lease", client.CoordinationV1().Leases(ns), &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder}}),
		exercise("NetworkPolicy", client.NetworkingV1().NetworkPolicies(ns), &networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{PodSelector: *selector}}),
		exercise("PodDisruptionBudget", client.PolicyV1().PodDisruptionBudgets(ns), &policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &one, Selector: selector}}),
		exercise("ClusterRole", client.RbacV1().ClusterRoles(), &rbacv1.ClusterRole{Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}}}),
	)
}

func exercise[T any, P object[T], L any](kind string, client typed[T, L], made *T) error {
	if err := verbs[T, P, L](client, made); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	fmt.Println("ok", kind)
	return nil
}

func verbs[T any, P object[T], L any](client typed[T, L], made *T) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	mine := metav1.ListOptions{LabelSelector: "verbs=all"}
	P(made).SetName("verbs")
	P(made).SetLabels(map[string]string{"verbs": "all"})
	watching, err := client.Watch(ctx, mine)
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer watching.Stop()
	created, err := client.Create(ctx, made, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if P(created).GetUID() == "" || len(P(created).GetManagedFields()) == 0 {
		return errors.New("create: no uid or no owners")
	}
	if _, err := client.Create(ctx, made, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create again: %v", err)
	}
	got, err := client.Get(ctx, "verbs", metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get: %w", err)
	}
	P(got).SetAnnotations(map[string]string{"by": "update"})
	updated, err := client.Update(ctx, got, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if P(updated).GetResourceVersion() == P(created).GetResourceVersion() {
		return errors.New("update: the version is the same")
	}
	if _, err := client.Update(ctx, got, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("update of something old: %v", err)
	}
	patches := map[types.PatchType]string{
		types.MergePatchType:          `{"metadata":{"annotations":{"merge":"1"}}}`,
		types.StrategicMergePatchType: `{"metadata":{"annotations":{"strategic":"1"}}}`,
		types.JSONPatchType:           `[{"op":"add","path":"/metadata/annotations/json","value":"1"}]`,
	}
	for kind, body := range patches {
		if _, err := client.Patch(ctx, "verbs", kind, []byte(body), metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	got, err = client.Get(ctx, "verbs", metav1.GetOptions{})
	if err != nil || len(P(got).GetAnnotations()) < 4 {
		return fmt.Errorf("patches: %v %v", P(got).GetAnnotations(), err)
	}
	if _, err := client.List(ctx, mine); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	background := metav1.DeletePropagationBackground
	zero := int64(0)
	options := metav1.DeleteOptions{PropagationPolicy: &background, GracePeriodSeconds: &zero}
	if err := client.Delete(ctx, "verbs", options); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	if _, err := client.Get(ctx, "verbs", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("get after delete: %v", err)
	}
	if err := seen(ctx, watching); err != nil {
		return err
	}
	if _, err := client.Create(ctx, made, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create anew: %w", err)
	}
	if err := client.DeleteCollection(ctx, options, mine); err != nil {
		return fmt.Errorf("delete collection: %w", err)
	}
	if _, err := client.Get(ctx, "verbs", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("get after delete collection: %v", err)
	}
	return nil
}

// seen waits until the watch has told of the beginning, a change and the end, in this order.
func seen(ctx context.Context, watching watch.Interface) error {
	wanted := []watch.EventType{watch.Added, watch.Modified, watch.Deleted}
	for len(wanted) > 0 {
		select {
		case event, open := <-watching.ResultChan():
			if !open || event.Type == watch.Error {
				return fmt.Errorf("the watch ended: %v", event.Object)
			}
			if event.Type == wanted[0] {
				wanted = wanted[1:]
			}
		case <-ctx.Done():
			return fmt.Errorf("the watch did not tell: %v", wanted)
		}
	}
	return nil
}
