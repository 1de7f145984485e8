// The checks behind /livez, /readyz and /healthz, under the names that monitoring knows.
import type { HealthCheck, HealthEndpoint } from '../handlers/health.ts'
import { anySignal } from '../lib/light-signal.ts'

/** The server's lifecycle. */
export interface Lifecycle {
  /** Whether the start is not complete. */
  readonly isStarting: () => boolean
  /** Whether the server is shutting down. */
  readonly isStopping: () => boolean
}

/** The names of the reference's post-start hooks, which monitoring knows. Here they are one step: all are done at the same time. */
const HOOKS = `
  start-apiserver-admission-initializer generic-apiserver-start-informers priority-and-fairness-config-consumer
  priority-and-fairness-filter storage-object-count-tracker-hook start-apiextensions-informers
  start-apiextensions-controllers crd-informer-synced start-system-namespaces-controller
  peer-endpoint-reconciler-controller start-cluster-authentication-info-controller
  start-kube-apiserver-identity-lease-controller start-kube-apiserver-identity-lease-garbage-collector
  storage-readiness start-legacy-token-tracking-controller start-service-ip-repair-controllers
  rbac/bootstrap-roles scheduling/bootstrap-system-priority-classes priority-and-fairness-config-producer
  bootstrap-controller start-kubernetes-service-cidr-controller start-kube-aggregator-informers
  apiservice-status-local-available-controller apiservice-status-remote-available-controller
  apiservice-registration-controller apiservice-discovery-controller kube-apiserver-autoregistration
`
const HOOKS_AFTER_REGISTRATION = 'apiservice-openapi-controller apiservice-openapiv3-controller'

function hookNames(names: string): readonly string[] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => `poststarthook/${name}`)
}

export interface HealthParts {
  readonly checkStorage: (signal: AbortSignal) => Promise<void>
  /** The time in which the store must answer a probe. */
  readonly probeMs: { readonly health: number; readonly readiness: number }
  readonly lifecycle: Lifecycle
  /** Whether the objects are in memory. */
  readonly isLoaded: () => boolean
  /** Checks of parts that only some servers need. A restart does not repair these parts, so /livez does not include the checks (P-450). */
  readonly more: readonly HealthCheck[]
}

export function healthChecks({
  checkStorage,
  probeMs,
  lifecycle,
  isLoaded,
  more,
}: HealthParts): Record<HealthEndpoint, HealthCheck[]> {
  const { isStarting, isStopping } = lifecycle
  const fine = { check: () => {} }
  const always: HealthCheck[] = [
    { name: 'ping', ...fine },
    { name: 'log', ...fine },
  ]
  const storage = (milliseconds: number) => ({
    check: (signal: AbortSignal): Promise<void> => checkStorage(anySignal([signal, AbortSignal.timeout(milliseconds)])),
  })
  const started = (name: string): HealthCheck => ({
    name,
    startup: true,
    check: () => {
      if (isStarting()) throw new Error('not finished')
    },
  })
  const hooks = [...hookNames(HOOKS), 'autoregister-completion', ...hookNames(HOOKS_AFTER_REGISTRATION)].map(started)
  const alive = [
    ...always,
    { name: 'loopback-serving-certificate', ...fine },
    { name: 'etcd', ...storage(probeMs.health) },
    ...hooks,
  ]
  const stopping: HealthCheck = {
    name: 'shutdown',
    check: () => {
      if (isStopping()) throw new Error('process is shutting down')
    },
  }
  const loaded: HealthCheck = {
    name: 'informer-sync',
    startup: true,
    check: () => {
      if (!isLoaded()) throw new Error('objects are being loaded')
    },
  }
  return {
    healthz: [...alive, ...more],
    livez: alive,
    readyz: [
      ...always,
      { name: 'etcd', ...storage(probeMs.health) },
      { name: 'etcd-readiness', ...storage(probeMs.readiness) },
      loaded,
      ...more,
      ...hooks,
      stopping,
    ],
  }
}
