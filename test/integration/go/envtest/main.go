// A test environment as people have it with controller-runtime: the programs of a folder are started as etcd and
// kube-apiserver, a definition is installed, and an object of it is made by a user with a certificate. Where
// USE_EXISTING_CLUSTER says so nothing is started, and the user is the one of KUBECONFIG.
package main

import (
	"context"
	"fmt"
	"os"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func definition() *apiextensions.CustomResourceDefinition {
	return &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.demo.example.com"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: "demo.example.com",
			Scope: apiextensions.NamespaceScoped,
			Names: apiextensions.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"},
			Versions: []apiextensions.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensions.CustomResourceValidation{
					OpenAPIV3Schema: &apiextensions.JSONSchemaProps{Type: "object"},
				},
			}},
		},
	}
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func main() {
	ctrl.SetLogger(klog.Background())
	environment := &envtest.Environment{
		BinaryAssetsDirectory: os.Args[1],
		CRDs:                  []*apiextensions.CustomResourceDefinition{definition()},
	}
	config, err := environment.Start()
	must(err)
	defer func() { must(environment.Stop()) }()
	if os.Getenv("USE_EXISTING_CLUSTER") != "true" {
		user, err := environment.AddUser(envtest.User{Name: "tester", Groups: []string{"system:masters"}}, nil)
		must(err)
		config = user.Config()
	}
	objects, err := client.New(config, client.Options{})
	must(err)
	widget := &unstructured.Unstructured{}
	widget.SetAPIVersion("demo.example.com/v1")
	widget.SetKind("Widget")
	widget.SetNamespace("default")
	widget.SetName("made")
	must(objects.Create(context.Background(), widget))
	fmt.Println("made", widget.GetName(), widget.GetGeneration())
}
