// cert-manager's webhook as its own command runs it: it signs its own certificate, with an authority that it keeps in a secret.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"

	"github.com/cert-manager/cert-manager/internal/apis/config/shared"
	config "github.com/cert-manager/cert-manager/internal/apis/config/webhook"
	"github.com/cert-manager/cert-manager/internal/webhook"
)

func main() {
	// controller-runtime has a flag of the same name among the flags of every program.
	flags := flag.NewFlagSet("webhook", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "the server")
	port := flags.Int("secure-port", 0, "where it listens")
	healthz := flags.Int("healthz-port", 0, "where it says that it is there")
	if err := flags.Parse(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	server, err := webhook.NewCertManagerWebhookServer(logr.Discard(), config.WebhookConfiguration{
		KubeConfig:           *kubeconfig,
		SecurePort:           int32(*port),
		HealthzPort:          int32(*healthz),
		MetricsListenAddress: "0",
		TLSConfig: shared.TLSConfig{Dynamic: shared.DynamicServingConfig{
			SecretNamespace: "cert-manager",
			SecretName:      "cert-manager-webhook-ca",
			DNSNames:        []string{"localhost"},
			LeafDuration:    7 * 24 * time.Hour,
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
