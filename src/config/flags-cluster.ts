// The flags about the place of the server among others: which versions it serves, where it is found, what its services get.
import type { Flag } from './flag.ts'

export const CLUSTER_FLAGS = [
  {
    name: 'runtime-config',
    kind: 'list',
    group: 'Cluster',
    placeholder: 'KEY=true|false,...',
    help:
      'Which of the built-in resources are served: group/version (v1 for the core group), group/version/resource, api/all, ' +
      'api/ga, api/beta, api/alpha. What says more exactly what it means comes first. Default: all that there are.',
  },
  {
    name: 'advertise-address',
    kind: 'address',
    group: 'Cluster',
    help:
      'Where other machines reach this server: the endpoint of the service kubernetes. Default: --bind-address, or the first ' +
      'of the machine’s addresses where that is all of them.',
  },
  {
    name: 'external-hostname',
    kind: 'text',
    group: 'Cluster',
    placeholder: 'HOST[:PORT]',
    help: 'What the server calls itself to clients, in discovery and in the documents about its tokens. Default: --advertise-address.',
  },
  {
    name: 'endpoint-reconciler-type',
    kind: 'text',
    group: 'Cluster',
    fallback: 'lease',
    placeholder: 'TYPE',
    help: 'Who keeps the endpoints of the service kubernetes: lease, every replica its own; none, somebody else.',
  },
  {
    name: 'kubernetes-service-node-port',
    kind: 'port',
    group: 'Cluster',
    fallback: '0',
    help: 'The port of all nodes that the service kubernetes gets when it is made. 0: none.',
  },
  {
    name: 'service-node-port-range',
    kind: 'text',
    group: 'Cluster',
    fallback: '30000-32767',
    placeholder: 'FIRST-LAST',
    help: 'The ports of nodes that services get, both included; FIRST+MORE is understood too.',
  },
  {
    name: 'admission-control',
    kind: 'list',
    group: 'Who may do what',
    placeholder: 'NAME,...',
    help: 'The old way to name the admission plugins: these and no others. Excludes the two flags for it.',
  },
  {
    name: 'etcd-healthcheck-timeout',
    kind: 'duration',
    group: 'Storage',
    fallback: '2s',
    help: 'How long the store may take to answer before /livez and /healthz tell that it fails.',
  },
  {
    name: 'etcd-readycheck-timeout',
    kind: 'duration',
    group: 'Storage',
    fallback: '2s',
    help: 'The same for /readyz.',
  },
  {
    name: 'disable-http2-serving',
    kind: 'switch',
    group: 'Serving',
    fallback: 'false',
    help: 'Speak HTTP/1.1 only.',
  },
  {
    name: 'max-connections',
    kind: 'count',
    group: 'Serving',
    help:
      'How many connections there may be at a time; those that have been idle longest make room for others. Default: three ' +
      'quarters of the files that the process may open, at most 20000.',
  },
  {
    name: 'max-unfinished-bytes',
    kind: 'count',
    group: 'Serving',
    help:
      'How much memory there is for requests that are not complete and for answers that their clients do not take; who holds most ' +
      'is cut off first. Default: an eighth of the memory that the process may have, 128 MiB to 512 MiB.',
  },
  {
    name: 'permit-port-sharing',
    kind: 'switch',
    group: 'Serving',
    fallback: 'false',
    help: 'Let other processes listen on the same address and port; connections are shared out among them.',
  },
  {
    name: 'profiling',
    kind: 'switch',
    group: 'Running it',
    // Unlike the reference's: who looks for faults asks for it (CIS 1.2.15).
    fallback: 'false',
    help: 'Serve profiles of the running server under /debug/pprof, and take the level of the log at /debug/flags/v.',
  },
  {
    name: 'plain-runtime',
    kind: 'switch',
    group: 'Running it',
    fallback: 'false',
    help: 'Do not rely on internals of Node, V8 and packages, which make the server faster and smaller. For a release of Node on which it fails otherwise.',
  },
  {
    name: 'disabled-metrics',
    kind: 'list',
    group: 'Running it',
    placeholder: 'NAME,...',
    help: 'Metrics that are not shown.',
  },
  {
    name: 'v',
    kind: 'count',
    group: 'Running it',
    placeholder: 'LEVEL',
    help: 'How much to log, in the reference’s numbers: from 3 on what --log-level debug shows. --log-level comes first.',
  },
] as const satisfies readonly Flag[]
