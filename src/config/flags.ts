// Every flag of `quarterdeck serve`, as data. A flag of the reference server has the same name here. The manuals, the environment and the
// configuration file all use this table.
import { API_LEVELS, DEFAULT_LEVEL } from '../api/level.ts'
import { LOG_FORMATS, LOG_LEVELS } from '../lib/log.ts'
import { CONTROLLER_WORDS, CONTROLLERS_HELP } from './controller-names.ts'
import {
  address,
  count,
  directory,
  duration,
  file,
  type Flag,
  flagsOf,
  gates,
  list,
  off,
  on,
  oneOf,
  pairs,
  port,
  text,
} from './flag.ts'
import { ADMISSION_FLAGS, AUTHENTICATION_FLAGS, AUTHORIZATION_FLAGS } from './flags-access.ts'
import { AUDIT_FLAGS } from './flags-audit.ts'
import { HEALTHZ_FLAG, MANAGEMENT_FLAGS } from './flags-management.ts'
import { QUERY_FLAGS } from './flags-queries.ts'
import { IGNORED_FLAGS } from './flags-without-effect.ts'
import { TLS_CURVES, TLS_SUITES, TLS_VERSIONS } from './tls-config.ts'

export type { Flag }

const STORAGE_FLAGS = flagsOf('Storage', {
  'data-dir': directory(
    'Directory of the embedded store, the certificates and the admin credentials. Default: $XDG_DATA_HOME/quarterdeck, or ~/.local/share/quarterdeck.',
  ),
  'in-memory': off('Keep everything in memory: nothing is read from or written to disk, and all data is lost at exit.'),
  'etcd-servers': list(
    'URL,...',
    'Servers of an etcd, which replaces the embedded store: http(s)://host:port, or unix:///path.',
  ),
  'etcd-prefix': text('PATH', 'Prefix of all keys in the store.', '/registry'),
  'etcd-cafile': file('CA bundle to verify the certificates of the etcd servers.'),
  'etcd-certfile': file('Client certificate for etcd.'),
  'etcd-keyfile': file('Private key of --etcd-certfile.'),
  'etcd-compaction-interval': duration(
    'Interval of compaction. The store keeps its history for at least this time. 0 to disable compaction.',
    '5m',
  ),
  'etcd-defrag-free-percent': count(
    'Defragment a member of etcd when more than this percentage of its database is free. Members are defragmented one at a time, the leader last, and only while all of --etcd-servers answer. A member does not answer during its defragmentation, so --etcd-servers should name all members. When etcd is out of space, this server compacts the history, defragments the members and disarms the alarm. 0 to leave all of this to other programs.',
    '0',
  ),
  'etcd-defrag-min-bytes': count('Minimum size in bytes of a database of etcd that is defragmented.', '104857600'),
  'history-retention': count(
    'While the embedded store uses fewer bytes than this, it keeps history beyond --etcd-compaction-interval, for the gate ObjectHistory. Above this size, it removes the oldest history first. 0 to keep none.',
    '0',
  ),
  'etcd-healthcheck-timeout': duration('Timeout of the storage check of /livez and /healthz.', '2s'),
  'etcd-readycheck-timeout': duration('Timeout of the storage check of /readyz.', '2s'),
  'event-ttl': duration('Time for which an Event object is kept after its last update.', '1h'),
  'encryption-provider-config': file('EncryptionConfiguration for encryption at rest. Default: no encryption.'),
  'encryption-provider-config-automatic-reload': off(
    'Reload --encryption-provider-config when the file changes. The file is checked every minute.',
  ),
})

const SERVING_FLAGS = flagsOf('Serving', {
  'bind-address': address('IP address to listen on; 0.0.0.0 or :: for all interfaces.', '127.0.0.1'),
  'secure-port': port('Port to serve HTTPS on; 0 for any free port.', '6443'),
  workers: oneOf(
    ['auto'],
    count(
      'Number of worker processes that serve requests; auto: one worker for each core. With several workers, a supervisor process keeps the embedded store. A spare worker replaces a worker that ends, and SIGHUP replaces the workers one by one.',
      '1',
    ),
  ),
  'worker-stall-timeout': duration('Time without an answer after which a worker is killed and replaced.', '10s'),
  'permit-port-sharing': off('Let other processes listen on the same port (SO_REUSEPORT).'),
  'tls-cert-file': file(
    'Serving certificate, followed by intermediates. Default: a certificate that the server generates.',
  ),
  'tls-private-key-file': file('Private key of --tls-cert-file.'),
  'cert-dir': directory(
    'Directory of apiserver.crt and apiserver.key, which are used if both exist and --tls-cert-file is not set. If the server has no certificate, it generates one and stores it here. Default: pki in the data directory.',
  ),
  'tls-sni-cert-key': pairs(
    'FILE,FILE[:NAME,...]',
    'Certificate and key for clients that request one of these names by SNI. Default: the names in the certificate. May be repeated.',
  ),
  'tls-min-version': oneOf(
    TLS_VERSIONS,
    text('VERSION', 'Minimum TLS version: VersionTLS12 or VersionTLS13.', 'VersionTLS12'),
  ),
  'tls-cipher-suites': oneOf(
    TLS_SUITES,
    list('NAME,...', 'TLS 1.2 cipher suites by their Go names. Default: the suites with forward secrecy.'),
  ),
  'tls-curve-preferences': oneOf(
    TLS_CURVES,
    list('ID,...', 'Curves by Go CurveID: 23, 24, 25, 29, 4588. Default: the curves of OpenSSL.'),
  ),
  'disable-http2-serving': off('Serve HTTP/1.1 only.'),
  'http2-max-streams-per-connection': count('Maximum number of concurrent HTTP/2 streams per connection.', '100'),
  'max-connections': count(
    'Maximum number of connections. Idle connections are closed to make room for new ones. Default: 3/4 of the limit on open files, at most 20000.',
  ),
  'max-unfinished-bytes': count(
    'Memory in bytes for incomplete requests and unread responses. Above it, the largest requests of the connections that hold most are ended. Default: 1/8 of the memory limit, 128 MiB to 512 MiB.',
  ),
  console: on('Serve the web console at /console.'),
  'console-session-key': oneOf(
    ['shared', 'memory'],
    text(
      'PLACE',
      'Place of the key that seals the sessions of the console. shared: a Secret in kube-system, for all replicas. memory: this process, with which the sessions end.',
      'shared',
    ),
  ),
  'cors-allowed-origins': list('PATTERN,...', 'Origins allowed by CORS, as regular expressions.'),
  'strict-transport-security-directives': list(
    'DIRECTIVE,...',
    'Directives of the HSTS header: max-age=SECONDS, includeSubDomains, preload. Default: no header.',
  ),
})

const REQUEST_FLAGS = flagsOf('Requests', {
  'enable-priority-and-fairness': on(
    'Queue requests by flow schemas and priority levels. If false, requests are only limited in number.',
  ),
  'max-requests-inflight': count(
    'Maximum number of concurrent read-only requests; 0 for no limit. With priority and fairness, this flag and --max-mutating-requests-inflight add up to the number of seats instead.',
    '400',
  ),
  'max-mutating-requests-inflight': count(
    'Maximum number of concurrent mutating requests; 0 for no limit. With priority and fairness, this flag and --max-requests-inflight add up to the number of seats instead.',
    '200',
  ),
  'request-timeout': duration('Timeout of requests, except for watches and other streams.', '1m'),
  'min-request-timeout': count(
    'Minimum duration of a watch without timeoutSeconds, in seconds. Such a watch lasts at most twice as long.',
    '1800',
  ),
  'in-place-milliseconds': count(
    'Writes with a longer estimated time, in milliseconds, run in a worker thread, so that other requests do not wait. 0: all writes run in a worker thread.',
    '10',
  ),
  'goaway-chance': text(
    'CHANCE',
    'Probability, 0 to 0.02, that an HTTP/2 request makes the server send a GOAWAY, to balance connections among replicas.',
    '0',
  ),
  'livez-grace-period': duration('Time after the start in which /livez ignores unfinished post-start hooks.', '0s'),
  'shutdown-delay-duration': duration(
    'Time at shutdown in which the server still serves, /readyz fails and clients are asked to reconnect, so that load balancers notice.',
    '0s',
  ),
  'shutdown-send-retry-after': off('Accept connections during shutdown and answer with 429 and Retry-After.'),
  'shutdown-watch-termination-grace-period': duration(
    'Time at shutdown over which watches are closed, at least 200 per second, so that not all clients reconnect at once.',
    '1s',
  ),
})

const CLUSTER_FLAGS = flagsOf('Cluster', {
  'emulated-version': text(
    'VERSION',
    `API level to serve: ${API_LEVELS.join(' or ')}. The form kube=VERSION is accepted too.`,
    DEFAULT_LEVEL,
  ),
  'runtime-config': list(
    'KEY=true|false,...',
    'Built-in APIs to serve. Keys: group/version (v1 for the core group), group/version/resource, api/all, api/ga, api/beta, api/alpha. The most specific key wins. Default: api/ga=true.',
  ),
  'advertise-address': address(
    'IP address of this server in the endpoints of service kubernetes. Default: --bind-address. If that is a loopback address or unspecified, an address of the host, preferably of its default route.',
  ),
  'external-hostname': text(
    'HOST[:PORT]',
    'Name of this server in discovery and in the OpenID configuration. Default: --advertise-address.',
  ),
  'endpoint-reconciler-type': oneOf(
    ['lease', 'none'],
    text('TYPE', 'Method that keeps the endpoints of service kubernetes: lease or none.', 'lease'),
  ),
  'kubernetes-service-node-port': port('Node port of service kubernetes when it is created; 0 for none.', '0'),
  'service-cluster-ip-range': text(
    'CIDR',
    'Range of cluster IPs. The first IP belongs to the service kubernetes.',
    '10.96.0.0/16',
  ),
  'service-node-port-range': text(
    'FIRST-LAST',
    'Range of node ports, inclusive. The form FIRST+SIZE ends at FIRST plus SIZE.',
    '30000-32767',
  ),
  nodes: count(
    'Run a cluster in this process: a scheduler, the controllers of workloads, and this number of simulated nodes. Pods become ready on these nodes. 0: no cluster.',
    '0',
  ),
  controllers: oneOf(CONTROLLER_WORDS, list('NAME,...', CONTROLLERS_HELP, '*')),
  'proxy-client-cert-file': file(
    'Client certificate for aggregated API servers and other replicas. They trust the user in the headers of a request with this certificate.',
  ),
  'proxy-client-key-file': file('Private key of --proxy-client-cert-file.'),
  'peer-advertise-ip': address(
    'IP address at which other replicas request the watchers of this replica. Default: --advertise-address, or --bind-address.',
  ),
  'peer-advertise-port': port('Port of --peer-advertise-ip. Default: --secure-port.'),
  'peer-ca-file': file(
    'CA bundle to verify the certificates of other replicas. They must be valid for kubernetes.default.svc. Default: the authority that this server has generated.',
  ),
  'kubelet-client-certificate': file(
    'Client certificate that this server shows to kubelets, when it requests the logs and streams of containers. Default: no certificate.',
  ),
  'kubelet-client-key': file('Private key of --kubelet-client-certificate.'),
  'kubelet-certificate-authority': file(
    'CA bundle to verify the certificates of kubelets. Default: the CAs that the machine trusts.',
  ),
  'kubelet-preferred-address-types': list(
    'TYPE,...',
    'Types of node addresses, in order of preference. A kubelet is called at the first type that its node has.',
    'Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP',
  ),
  'kubelet-port': port('Port of kubelets that report no port.', '10250'),
  'hostname-override': text(
    'NAME',
    'Name of this replica in its identity lease. Each replica needs a name of its own. Default: the name of the host.',
  ),
  'egress-allow': list(
    'CIDR,...',
    'Addresses that webhooks and aggregated servers may have, although they are denied by default. Denied are link-local, multicast, unspecified, reserved, cloud metadata, Teredo and IPv4-translated addresses, 64:ff9b:1::/48, and the addresses of this host unless --bind-address is a loopback address.',
  ),
  'egress-deny': list(
    'CIDR,...',
    'Further addresses that webhooks and aggregated servers must not have. This flag wins over --egress-allow.',
  ),
})

const OPERATION_FLAGS = flagsOf('Operation', {
  config: file('YAML or JSON file of flags (`secure-port: 7443`). The command line and the environment win over it.'),
  'feature-gates': gates('Feature gates to enable or disable; they are listed below.'),
  'log-level': oneOf(
    LOG_LEVELS,
    text(
      'LEVEL',
      'debug (logs every request), info, warn, error or silent. In a running server, GET /debug/flags/log-level shows the level of each component. PUT sets the level of all components, or of one component at /debug/flags/log-level/COMPONENT.',
      'info',
    ),
  ),
  'logging-format': oneOf(
    LOG_FORMATS,
    text(
      'FORMAT',
      'Format of the log: json or text. Default: text on a terminal, with colours unless NO_COLOR is set; otherwise json.',
    ),
  ),
  v: {
    kind: 'count',
    short: 'v',
    placeholder: 'LEVEL',
    help: 'Log verbosity: 3 or more stands for --log-level debug. --log-level takes precedence.',
  },
  'disabled-metrics': list('NAME,...', 'Metrics that are not shown.'),
  'tracing-config-file': file(
    'TracingConfiguration: the OTLP endpoint for spans of requests, and their sampling rate. Needs the packages of OpenTelemetry.',
  ),
  // Off by default, unlike in the reference (CIS 1.2.15).
  profiling: off('Serve profiles at /debug/pprof, and the log verbosity at /debug/flags/v.'),
  dev: off(
    'Allow settings that are unsafe outside of development: a remote etcd without TLS, authorization mode AlwaysAllow, faults injected at /debug/faults, a virtual clock.',
  ),
  'virtual-clock': off(
    'The time of the server begins at 2026-01-01T00:00:00Z, and only requests to /debug/clock move it. Requires --dev.',
  ),
  'plain-runtime': off(
    'Do not use internals of Node, V8 and packages. The server is slower then. Use this flag with a Node release on which the server fails without it.',
  ),
})

export const FLAGS = [
  ...STORAGE_FLAGS,
  ...SERVING_FLAGS,
  ...MANAGEMENT_FLAGS,
  ...HEALTHZ_FLAG,
  ...AUTHENTICATION_FLAGS,
  ...AUTHORIZATION_FLAGS,
  ...ADMISSION_FLAGS,
  ...REQUEST_FLAGS,
  ...QUERY_FLAGS,
  ...AUDIT_FLAGS,
  ...CLUSTER_FLAGS,
  ...OPERATION_FLAGS,
  ...IGNORED_FLAGS,
] as const

export type FlagName = (typeof FLAGS)[number]['name']

const BY_NAME: ReadonlyMap<string, Flag & { readonly name: FlagName }> = new Map(FLAGS.map((flag) => [flag.name, flag]))

export function findFlag(name: string): (Flag & { readonly name: FlagName }) | undefined {
  return BY_NAME.get(name)
}

export function flagNames(): readonly string[] {
  return [...BY_NAME.keys()]
}

/** The environment variable of a flag, such as `QUARTERDECK_SECURE_PORT`. */
export function environmentName(flag: string): string {
  return `QUARTERDECK_${flag.toUpperCase().replaceAll('-', '_')}`
}
