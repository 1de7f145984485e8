// Every flag of `quarterdeck serve`, as data: what it is called, what it takes, what it does. The reference server's
// names where it has them. The manual, the environment and the configuration file are all read from this table.
import { DEFAULT_PLUGINS } from './admission-plugins.ts'
import type { Flag, FlagGroup, FlagKind } from './flag.ts'
import { AUDIT_FLAGS } from './flags-audit.ts'
import { AUTHORIZATION_FLAGS } from './flags-authorization.ts'
import { CLUSTER_FLAGS } from './flags-cluster.ts'
import { IDENTITY_FLAGS } from './flags-identity.ts'
import { IDLE_FLAGS } from './flags-without-effect.ts'

export type { Flag, FlagGroup, FlagKind }

export const FLAGS = [
  {
    name: 'data-dir',
    kind: 'directory',
    group: 'Storage',
    help:
      'Where the embedded store, the certificates and the administrator’s credentials are kept. ' +
      'Default: $XDG_DATA_HOME/quarterdeck, or ~/.local/share/quarterdeck.',
  },
  {
    name: 'in-memory',
    kind: 'switch',
    group: 'Storage',
    fallback: 'false',
    help: 'Keep everything in memory. Nothing is read from or left on the disk, and all of it is gone when the server stops.',
  },
  {
    name: 'dev',
    kind: 'switch',
    group: 'Running it',
    fallback: 'false',
    help: 'For trying things out: allows what nobody should run for others, which is an etcd on another machine without TLS and the authorization mode AlwaysAllow.',
  },
  {
    name: 'etcd-servers',
    kind: 'list',
    group: 'Storage',
    placeholder: 'URL,...',
    help: 'Store in this etcd cluster (http://host:port or https://host:port, separated by commas) instead of the data directory.',
  },
  {
    name: 'etcd-prefix',
    kind: 'text',
    group: 'Storage',
    fallback: '/registry',
    placeholder: 'PATH',
    help: 'The part of the store that is ours: every key begins with it.',
  },
  {
    name: 'etcd-cafile',
    kind: 'file',
    group: 'Storage',
    help: 'The certificate authority that etcd’s certificates are checked against.',
  },
  { name: 'etcd-certfile', kind: 'file', group: 'Storage', help: 'The certificate shown to etcd.' },
  { name: 'etcd-keyfile', kind: 'file', group: 'Storage', help: 'The private key of the certificate shown to etcd.' },
  {
    name: 'etcd-compaction-interval',
    kind: 'duration',
    group: 'Storage',
    fallback: '5m',
    help: 'How long the history of the store is kept, at least, whichever store it is. 0 to leave that to others.',
  },
  {
    name: 'event-ttl',
    kind: 'duration',
    group: 'Storage',
    fallback: '1h',
    help: 'How long an event is kept after its last change.',
  },
  {
    name: 'allow-privileged',
    kind: 'switch',
    group: 'Cluster',
    fallback: 'false',
    help: 'Allow pods with privileged containers.',
  },
  {
    name: 'bind-address',
    kind: 'address',
    group: 'Serving',
    fallback: '127.0.0.1',
    help: 'The address to listen on. 0.0.0.0 or :: for all of the machine’s.',
  },
  {
    name: 'secure-port',
    kind: 'port',
    group: 'Serving',
    fallback: '6443',
    help: 'The port to listen on, with TLS. 0 for any that is free.',
  },
  {
    name: 'tls-cert-file',
    kind: 'file',
    group: 'Serving',
    help: 'The certificate to serve with, followed by those between it and its authority. Default: one made by the server itself.',
  },
  { name: 'tls-private-key-file', kind: 'file', group: 'Serving', help: 'The private key of --tls-cert-file.' },
  {
    name: 'cert-dir',
    kind: 'directory',
    group: 'Serving',
    help:
      'Where apiserver.crt and apiserver.key are taken from to serve with, if both are there and --tls-cert-file is not given; ' +
      'otherwise the certificates that the server makes itself are kept there. Default: pki in the data directory.',
  },
  {
    name: 'http2-max-streams-per-connection',
    kind: 'count',
    group: 'Serving',
    fallback: '100',
    help: 'How many requests a client may have under way on one HTTP/2 connection.',
  },
  {
    name: 'cors-allowed-origins',
    kind: 'list',
    group: 'Serving',
    placeholder: 'PATTERN,...',
    help: 'Scripts of web pages from these origins may read answers. Regular expressions, separated by commas.',
  },
  {
    name: 'strict-transport-security-directives',
    kind: 'list',
    group: 'Serving',
    placeholder: 'DIRECTIVE,...',
    help: 'What browsers are told about TLS: max-age=SECONDS, includeSubDomains, preload. Nothing by default.',
  },
  {
    name: 'token-auth-file',
    kind: 'file',
    group: 'Who may do what',
    help: 'Users by bearer token: lines of token,name,uid,"group,group".',
  },
  {
    name: 'client-ca-file',
    kind: 'file',
    group: 'Who may do what',
    help: 'Users by client certificate: those signed by one of the authorities in this file. CN is the user, O the groups.',
  },
  {
    name: 'anonymous-auth',
    kind: 'switch',
    group: 'Who may do what',
    fallback: 'true',
    help: 'Requests without credentials are those of the user system:anonymous. If false they are refused.',
  },
  {
    name: 'anonymous-health',
    kind: 'switch',
    group: 'Who may do what',
    fallback: 'false',
    help: 'Answer /livez, /readyz and /healthz without credentials to other machines too. This machine always gets an answer.',
  },
  {
    name: 'authorization-mode',
    kind: 'list',
    group: 'Who may do what',
    fallback: 'Node,RBAC',
    placeholder: 'MODE,...',
    help: 'Who decides what a user may do, asked in this order: Node, RBAC, Webhook, ABAC, AlwaysAllow, AlwaysDeny.',
  },
  {
    name: 'enable-admission-plugins',
    kind: 'list',
    group: 'Who may do what',
    placeholder: 'NAME,...',
    help: `Admission plugins to ask beside those that are on by default: ${DEFAULT_PLUGINS.join(', ')}.`,
  },
  {
    name: 'disable-admission-plugins',
    kind: 'list',
    group: 'Who may do what',
    placeholder: 'NAME,...',
    help: 'Admission plugins not to ask though they are on by default.',
  },
  {
    name: 'admission-control-config-file',
    kind: 'file',
    group: 'Who may do what',
    help: 'How admission plugins are set: an AdmissionConfiguration with a section for each, PodSecurity for one.',
  },
  {
    name: 'default-not-ready-toleration-seconds',
    kind: 'count',
    group: 'Who may do what',
    fallback: '300',
    help: 'How long pods that do not say stay on a node that is not ready.',
  },
  {
    name: 'default-unreachable-toleration-seconds',
    kind: 'count',
    group: 'Who may do what',
    fallback: '300',
    help: 'How long pods that do not say stay on a node that cannot be reached.',
  },
  {
    name: 'kubeconfig-out',
    kind: 'file',
    group: 'Who may do what',
    help: 'Where to write the administrator’s kubeconfig. Default: admin.kubeconfig in the data directory.',
  },
  {
    name: 'enable-priority-and-fairness',
    kind: 'switch',
    group: 'Life cycle',
    fallback: 'true',
    help: 'Share the server out among its users by flow schemas and priority levels, with queues. If false, only the two numbers below count.',
  },
  {
    name: 'max-requests-inflight',
    kind: 'count',
    group: 'Life cycle',
    fallback: '400',
    help: 'How many reading requests are worked on at a time; with priority and fairness, a part of the seats there are. 0: any number.',
  },
  {
    name: 'max-mutating-requests-inflight',
    kind: 'count',
    group: 'Life cycle',
    fallback: '200',
    help: 'The same for writing requests; with priority and fairness, the other part of the seats.',
  },
  {
    name: 'request-timeout',
    kind: 'duration',
    group: 'Life cycle',
    fallback: '1m',
    help: 'How long a request may take, watches and other streams aside.',
  },
  {
    name: 'min-request-timeout',
    kind: 'count',
    group: 'Life cycle',
    fallback: '1800',
    help: 'The seconds that a watch lasts at least whose client does not say how long; at most twice as long.',
  },
  {
    name: 'livez-grace-period',
    kind: 'duration',
    group: 'Life cycle',
    fallback: '0s',
    help: 'For so long after the start /livez does not mind that starting is not complete.',
  },
  {
    name: 'shutdown-delay-duration',
    kind: 'duration',
    group: 'Life cycle',
    fallback: '0s',
    help: 'Told to stop, go on serving for so long with /readyz failing, so that load balancers look elsewhere first.',
  },
  ...AUTHORIZATION_FLAGS,
  {
    name: 'shutdown-send-retry-after',
    kind: 'switch',
    group: 'Life cycle',
    fallback: 'false',
    help: 'While it stops, go on taking connections and tell requests on them to try again, instead of closing the port.',
  },
  {
    name: 'shutdown-watch-termination-grace-period',
    kind: 'duration',
    group: 'Life cycle',
    fallback: '0s',
    help: 'While it stops, end watches evenly over so long, at least 200 a second, so that they do not all come back at once.',
  },
  {
    name: 'goaway-chance',
    kind: 'text',
    group: 'Life cycle',
    fallback: '0',
    placeholder: 'CHANCE',
    help: 'How likely an answer on HTTP/2 tells the client to connect anew, so that connections spread over replicas; 0 to 0.02.',
  },
  ...AUDIT_FLAGS,
  ...IDENTITY_FLAGS,
  ...CLUSTER_FLAGS,
  {
    name: 'service-cluster-ip-range',
    kind: 'text',
    group: 'Cluster',
    fallback: '10.96.0.0/16',
    placeholder: 'CIDR',
    help: 'The addresses that services get. The first is the server’s own and stands in its certificate.',
  },
  {
    name: 'controllers',
    kind: 'list',
    group: 'Cluster',
    fallback: '*',
    placeholder: 'NAME,...',
    help:
      'The loops to run: * for all, name for that one, -name for all but that one. Beside a kube-controller-manager, switch off ' +
      'what it does: -garbage-collector, -namespace, -serviceaccount, -root-ca-certificate-publisher.',
  },
  {
    name: 'proxy-client-cert-file',
    kind: 'file',
    group: 'Cluster',
    help: 'The certificate shown to the servers of other groups (APIService), by which they know that users are named truly.',
  },
  {
    name: 'proxy-client-key-file',
    kind: 'file',
    group: 'Cluster',
    help: 'The private key of --proxy-client-cert-file.',
  },
  {
    name: 'egress-allow',
    kind: 'list',
    group: 'Cluster',
    placeholder: 'CIDR,...',
    help:
      'Addresses that webhooks may have though they are closed by default. Closed are link-local, multicast and unspecified ' +
      'addresses, the metadata services of clouds, and those of this machine’s own interfaces unless --bind-address is ' +
      'a loopback address.',
  },
  {
    name: 'egress-deny',
    kind: 'list',
    group: 'Cluster',
    placeholder: 'CIDR,...',
    help: 'Further addresses that no webhook may have. Comes before --egress-allow.',
  },
  {
    name: 'feature-gates',
    kind: 'gates',
    group: 'Running it',
    help: 'Switch features on and off. The known gates are listed below.',
  },
  {
    name: 'log-level',
    kind: 'text',
    group: 'Running it',
    fallback: 'info',
    placeholder: 'LEVEL',
    help: 'How much to log: debug (a line for every request), info, warn, error, silent.',
  },
  {
    name: 'config',
    kind: 'file',
    group: 'Running it',
    help: 'Read flags from this YAML or JSON file: `secure-port: 7443`. The command line and the environment come before it.',
  },
  ...IDLE_FLAGS,
] as const satisfies readonly Flag[]

export type FlagName = (typeof FLAGS)[number]['name']

const BY_NAME: ReadonlyMap<string, Flag> = new Map<string, Flag>(FLAGS.map((flag) => [flag.name, flag]))

export function findFlag(name: string): Flag | undefined {
  return BY_NAME.get(name)
}

export function flagNames(): readonly string[] {
  return [...BY_NAME.keys()]
}

/** `QUARTERDECK_SECURE_PORT`. */
export function environmentName(flag: string): string {
  return `QUARTERDECK_${flag.toUpperCase().replaceAll('-', '_')}`
}
