// A controller's informer as client-go makes it, with streamed lists: it writes one line of JSON for what it is told about
// the config maps of a namespace, until its input ends.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type line struct {
	Event   string `json:"event"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	lines := make(chan line, 1024)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { lines <- tell("add", object) },
		UpdateFunc: func(_, object any) { lines <- tell("update", object) },
		DeleteFunc: func(object any) { lines <- tell("delete", object) },
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory.Start(ctx.Done())
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
			lines <- line{Event: "synced"}
		}
	}()
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	out := json.NewEncoder(os.Stdout)
	for {
		select {
		case told := <-lines:
			if err := out.Encode(told); err != nil {
				return err
			}
		case <-ended:
			return nil
		}
	}
}

func tell(event string, object any) line {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		return line{Event: "missed", Name: gone.Key}
	}
	configMap, ok := object.(*corev1.ConfigMap)
	if !ok {
		return line{Event: "unknown"}
	}
	return line{Event: event, Name: configMap.Name, Version: configMap.ResourceVersion}
}
