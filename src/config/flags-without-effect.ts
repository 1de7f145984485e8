// Flags of the reference server that have no effect here, so that manifests with them work unchanged. A value that requests
// other behaviour is logged at the start, or rejected if the operator would rely on it.
import type { Flag, FlagKind, IgnoredFlag } from './flag.ts'

/** The kind, the reason why the flag has no effect, and the values that match the fixed behaviour. */
type Row = readonly [kind: FlagKind, why: string, ...accepted: readonly string[]]

const NO_FORWARD = 'The API level is fixed. The server has no later level to be compatible with.'
const NO_ELECTION = 'Coordinated leader election is not supported.'
const OWN_LOG = 'Logs are written to standard error, unbuffered.'
const CACHE = 'All types are always cached, with minutes of history; reads stay consistent.'
const AT_SCRAPE = 'The value is read when metrics are scraped.'
const NO_LABEL_LIMITS = 'The number of label values is limited already.'

const WARNED = {
  'allow-metric-labels': ['text', NO_LABEL_LIMITS],
  'allow-metric-labels-manifest': ['file', NO_LABEL_LIMITS],
  'apiserver-count': ['count', 'Replicas register themselves by a lease.'],
  'audit-webhook-batch-initial-backoff': ['duration', 'Use --audit-webhook-initial-backoff.'],
  'contention-profiling': ['switch', 'There are no locks to profile.', 'false'],
  'coordinated-leadership-lease-duration': ['duration', NO_ELECTION],
  'coordinated-leadership-renew-deadline': ['duration', NO_ELECTION],
  'coordinated-leadership-retry-period': ['duration', NO_ELECTION],
  'debug-socket-path': ['file', 'Profiles are served on the secure port only.'],
  'default-watch-cache-size': ['count', CACHE],
  'delete-collection-workers': ['count', 'Collections are deleted as fast as the store allows.', '1'],
  'enable-aggregator-routing': [
    'switch',
    'Aggregated API servers are called at the IP of an endpoint, if one is known.',
    'true',
    'false',
  ],
  'enable-logs-handler': ['switch', 'There are no log files to serve.', 'false'],
  'etcd-count-metric-poll-period': ['duration', AT_SCRAPE],
  'etcd-db-metric-poll-interval': ['duration', AT_SCRAPE],
  'kubelet-read-only-port': ['count', 'Kubelets are called at the port that they report, or at --kubelet-port.'],
  'kubelet-timeout': ['duration', 'Logs and streams of containers have no time limit.'],
  'lease-reuse-duration-seconds': ['count', 'Every event has its own TTL.'],
  'log-flush-frequency': ['duration', OWN_LOG],
  'log-json-info-buffer-size': ['text', OWN_LOG, '0'],
  'log-json-split-stream': ['switch', OWN_LOG, 'false'],
  'log-text-info-buffer-size': ['text', OWN_LOG, '0'],
  'log-text-split-stream': ['switch', OWN_LOG, 'false'],
  'max-connection-bytes-per-sec': ['count', 'The bandwidth of connections is not limited.', '0'],
  'min-compatibility-version': ['text', 'The server has no older versions to be compatible with.'],
  'permit-address-sharing': ['switch', 'SO_REUSEADDR is always set.', 'true', 'false'],
  'show-hidden-metrics-for-version': ['text', 'No metrics are hidden.'],
  'storage-initialization-timeout': ['duration', 'The server is ready once storage is loaded, however long it takes.'],
  'storage-media-type': ['text', 'Objects are stored as JSON.', 'application/json'],
  vmodule: ['text', OWN_LOG],
  'watch-cache': ['switch', CACHE, 'true'],
  'watch-cache-sizes': ['list', CACHE],
} as const satisfies Readonly<Record<string, Row>>

const REJECTED = {
  'aggregator-reject-forwarding-redirect': [
    'switch',
    'Redirects of aggregated API servers are always rejected.',
    'true',
  ],
  'audit-log-version': ['text', 'Audit events are written as audit.k8s.io/v1.', 'audit.k8s.io/v1'],
  'audit-webhook-version': ['text', 'Audit events are sent as audit.k8s.io/v1.', 'audit.k8s.io/v1'],
  'egress-selector-config-file': ['file', 'Egress proxies are not supported.'],
  'emulation-forward-compatible': ['switch', NO_FORWARD, 'false'],
  'enable-garbage-collector': [
    'switch',
    'To run another garbage collector, set --controllers=-garbage-collector.',
    'true',
  ],
  'etcd-servers-overrides': ['list', 'All resources are stored in the etcd of --etcd-servers.'],
  'runtime-config-emulation-forward-compatible': ['switch', NO_FORWARD, 'false'],
  'service-account-signing-endpoint': [
    'file',
    'External signers are not supported: use --service-account-signing-key-file.',
  ],
  'storage-backend': ['text', 'The storage backends are etcd3 and the embedded store.', 'etcd3'],
} as const satisfies Readonly<Record<string, Row>>

export const IGNORED_FLAGS = [...ignored(WARNED, 'warn'), ...ignored(REJECTED, 'reject')] as const

function ignored<Name extends string>(
  rows: Readonly<Record<Name, Row>>,
  otherwise: IgnoredFlag['otherwise'],
): readonly (Flag & { readonly name: Name })[] {
  return (Object.entries(rows) as [Name, Row][]).map(([name, [kind, help, ...accepted]]) => ({
    name,
    kind,
    group: 'Accepted for compatibility',
    help,
    ignored: { otherwise, accepted },
    ...(kind === 'text' && accepted.length > 0 ? { values: accepted } : {}),
  }))
}
