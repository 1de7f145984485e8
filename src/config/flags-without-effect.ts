// Flags of the reference server that change nothing here, so that manifests and starters which pass them work as they are.
// What one asks for is had anyway, or it is told at the start that nothing comes of it, or it is refused where going on
// without it would not be what the operator means.
import type { Flag, FlagKind, IdleFlag } from './flag.ts'

/** What it takes, why nothing comes of it, and the values that mean what is the case anyway. */
type Row = readonly [kind: FlagKind, why: string, ...asItIs: readonly string[]]

const ONLY_LEVEL: readonly string[] = ['1.36', 'kube=1.36', 'kube:1.36']
const NO_FORWARD = 'The API level is that of the program: there is no later one to be compatible with.'
const NO_ELECTION = 'No leaders are elected for others.'
const NO_KUBELETS = 'No kubelet is called: logs and streams of containers answer as without a node.'
const OWN_LOG = 'The log is lines of JSON on standard error, written at once.'
const NO_PEERS = 'Every replica serves the same resources: none has to pass requests on to another.'
const CACHE =
  'Every type is kept in memory with its history of the last minutes, and reads are consistent all the same.'
const AT_SCRAPE = 'It is looked up when metrics are read, not every so often.'

const TOLD = {
  'allow-metric-labels': ['text', 'Labels of metrics have few values by themselves.'],
  'allow-metric-labels-manifest': ['file', 'Labels of metrics have few values by themselves.'],
  'apiserver-count': ['count', 'Replicas say themselves that they are there.'],
  'audit-webhook-batch-initial-backoff': ['duration', 'It is called --audit-webhook-initial-backoff now.'],
  'contention-profiling': ['switch', 'There are no locks to wait for.', 'false'],
  'coordinated-leadership-lease-duration': ['duration', NO_ELECTION],
  'coordinated-leadership-renew-deadline': ['duration', NO_ELECTION],
  'coordinated-leadership-retry-period': ['duration', NO_ELECTION],
  'debug-socket-path': ['file', 'Profiles are served where everything else is, to those who may see them.'],
  'default-watch-cache-size': ['count', CACHE],
  'delete-collection-workers': ['count', 'Collections are deleted as fast as the store takes it.', '1'],
  'enable-aggregator-routing': [
    'switch',
    'The servers of other groups are always called at an address behind their service where one is known.',
    'true',
    'false',
  ],
  'enable-logs-handler': ['switch', 'No log is kept in files that could be served.', 'false'],
  'etcd-count-metric-poll-period': ['duration', AT_SCRAPE],
  'etcd-db-metric-poll-interval': ['duration', AT_SCRAPE],
  'kubelet-certificate-authority': ['file', NO_KUBELETS],
  'kubelet-client-certificate': ['file', NO_KUBELETS],
  'kubelet-client-key': ['file', NO_KUBELETS],
  'kubelet-port': ['count', NO_KUBELETS],
  'kubelet-preferred-address-types': ['list', NO_KUBELETS],
  'kubelet-read-only-port': ['count', NO_KUBELETS],
  'kubelet-timeout': ['duration', NO_KUBELETS],
  'lease-reuse-duration-seconds': ['count', 'Events expire each in its own time.'],
  'log-flush-frequency': ['duration', OWN_LOG],
  'log-json-info-buffer-size': ['text', OWN_LOG, '0'],
  'log-json-split-stream': ['switch', OWN_LOG, 'false'],
  'log-text-info-buffer-size': ['text', OWN_LOG, '0'],
  'log-text-split-stream': ['switch', OWN_LOG, 'false'],
  'logging-format': ['text', OWN_LOG, 'json'],
  'max-connection-bytes-per-sec': ['count', 'Connections are not slowed down.', '0'],
  'min-compatibility-version': ['text', 'There are no older versions of this program to be compatible with.'],
  'peer-advertise-ip': ['text', NO_PEERS],
  'peer-advertise-port': ['text', NO_PEERS],
  'peer-ca-file': ['file', NO_PEERS],
  'permit-address-sharing': [
    'switch',
    'Addresses are always shared with sockets that are on their way out.',
    'true',
    'false',
  ],
  'show-hidden-metrics-for-version': ['text', 'No metrics are hidden.'],
  'storage-initialization-timeout': [
    'duration',
    'The server is ready when everything is loaded, however long it takes.',
  ],
  'storage-media-type': ['text', 'Objects are stored as JSON.', 'application/json'],
  'tracing-config-file': ['file', 'No traces are sent.'],
  vmodule: ['text', OWN_LOG],
  'watch-cache': ['switch', CACHE, 'true'],
  'watch-cache-sizes': ['list', CACHE],
} as const satisfies Readonly<Record<string, Row>>

const REFUSED = {
  'aggregator-reject-forwarding-redirect': [
    'switch',
    'Redirects of the servers of other groups are never passed on.',
    'true',
  ],
  'audit-log-version': ['text', 'Audit events are written as audit.k8s.io/v1.', 'audit.k8s.io/v1'],
  'audit-webhook-version': ['text', 'Audit events are sent as audit.k8s.io/v1.', 'audit.k8s.io/v1'],
  'egress-selector-config-file': [
    'file',
    'Calls go out directly: a proxy that the operator counts on would be passed by.',
  ],
  'emulated-version': ['text', 'The API level is 1.36, and no other can be had.', ...ONLY_LEVEL],
  'emulation-forward-compatible': ['switch', NO_FORWARD, 'false'],
  'enable-garbage-collector': [
    'switch',
    'Deletions always see to dependents; --controllers=-garbage-collector leaves that to somebody else.',
    'true',
  ],
  'etcd-servers-overrides': ['list', 'All types are kept in the one etcd of --etcd-servers.'],
  'runtime-config-emulation-forward-compatible': ['switch', NO_FORWARD, 'false'],
  'service-account-signing-endpoint': [
    'file',
    'Tokens are signed with --service-account-signing-key-file; no other program can be asked for it.',
  ],
  'storage-backend': ['text', 'There are etcd (etcd3) and the store of our own.', 'etcd3'],
} as const satisfies Readonly<Record<string, Row>>

type IdleName = keyof typeof TOLD | keyof typeof REFUSED

export const IDLE_FLAGS: readonly (Flag & { readonly name: IdleName })[] = [
  ...flagsIn(TOLD, 'told'),
  ...flagsIn(REFUSED, 'refused'),
]

function flagsIn<Name extends string>(
  rows: Readonly<Record<Name, Row>>,
  otherwise: IdleFlag['otherwise'],
): readonly (Flag & { readonly name: Name })[] {
  return (Object.entries(rows) as [Name, Row][]).map(([name, [kind, help, ...asItIs]]) => ({
    name,
    kind,
    group: 'Without effect',
    help,
    idle: { otherwise, asItIs },
  }))
}
