// The flags about the audit log: what is written down of requests, where, and how it is sent on.
import type { Flag } from './flag.ts'

type Backend = 'audit-log' | 'audit-webhook'
type Suffix =
  | 'mode'
  | 'batch-buffer-size'
  | 'batch-max-size'
  | 'batch-max-wait'
  | 'batch-throttle-enable'
  | 'batch-throttle-qps'
  | 'batch-throttle-burst'
  | 'truncate-enabled'
  | 'truncate-max-event-size'
  | 'truncate-max-batch-size'

interface Defaults {
  readonly mode: string
  readonly batch: string
  readonly wait: string
  readonly throttle: string
}

/** What both back ends can be told. */
function backendFlags<B extends Backend>(
  backend: B,
  defaults: Defaults,
): readonly (Flag & { readonly name: `${B}-${Suffix}` })[] {
  const flag = (suffix: Suffix, rest: Pick<Flag, 'kind' | 'fallback' | 'help'>) =>
    ({ name: `${backend}-${suffix}`, group: 'Audit', ...rest }) as const
  return [
    flag('mode', {
      kind: 'text',
      fallback: defaults.mode,
      help: 'batch: events are kept in memory and written together. blocking: each at once. blocking-strict: and a request that cannot be audited is refused.',
    }),
    flag('batch-buffer-size', {
      kind: 'count',
      fallback: '10000',
      help: 'How many events may wait in batch mode; more are dropped and counted.',
    }),
    flag('batch-max-size', {
      kind: 'count',
      fallback: defaults.batch,
      help: 'How many events go together in batch mode.',
    }),
    flag('batch-max-wait', {
      kind: 'duration',
      fallback: defaults.wait,
      help: 'How long an event waits for others in batch mode.',
    }),
    flag('batch-throttle-enable', {
      kind: 'switch',
      fallback: defaults.throttle,
      help: 'Limit how many batches go out a second.',
    }),
    flag('batch-throttle-qps', { kind: 'count', fallback: '10', help: 'How many a second on average.' }),
    flag('batch-throttle-burst', { kind: 'count', fallback: '15', help: 'How many at once after a rest.' }),
    flag('truncate-enabled', { kind: 'switch', fallback: 'false', help: 'Cut events and batches that are too large.' }),
    flag('truncate-max-event-size', {
      kind: 'count',
      fallback: '102400',
      help: 'The most bytes of an event: its bodies are left out beyond, and it is dropped if that is not enough.',
    }),
    flag('truncate-max-batch-size', {
      kind: 'count',
      fallback: '10485760',
      help: 'The most bytes of a batch; a larger one is divided.',
    }),
  ]
}

export const AUDIT_FLAGS = [
  {
    name: 'audit-policy-file',
    kind: 'file',
    group: 'Audit',
    help: 'What to write down of which requests: a Policy of audit.k8s.io/v1. Without one nothing is audited.',
  },
  {
    name: 'audit-log-path',
    kind: 'text',
    group: 'Audit',
    placeholder: 'FILE',
    help: 'Write audit events to this file; - is the standard output.',
  },
  {
    name: 'audit-log-format',
    kind: 'text',
    group: 'Audit',
    fallback: 'json',
    placeholder: 'FORM',
    help: 'json: an object a line. legacy: a line of text.',
  },
  {
    name: 'audit-log-maxage',
    kind: 'count',
    group: 'Audit',
    fallback: '366',
    help: 'How many days old audit logs are kept. 0: for ever.',
  },
  {
    name: 'audit-log-maxbackup',
    kind: 'count',
    group: 'Audit',
    fallback: '100',
    help: 'How many old audit logs are kept. 0: all.',
  },
  {
    name: 'audit-log-maxsize',
    kind: 'count',
    group: 'Audit',
    fallback: '100',
    help: 'The megabytes at which the audit log is put aside and another begun.',
  },
  {
    name: 'audit-log-compress',
    kind: 'switch',
    group: 'Audit',
    fallback: 'false',
    help: 'Compress old audit logs with gzip.',
  },
  ...backendFlags('audit-log', { mode: 'blocking', batch: '1', wait: '0s', throttle: 'false' }),
  {
    name: 'audit-webhook-config-file',
    kind: 'file',
    group: 'Audit',
    help: 'Send audit events to the server that this kubeconfig file names.',
  },
  {
    name: 'audit-webhook-initial-backoff',
    kind: 'duration',
    group: 'Audit',
    fallback: '10s',
    help: 'How long to wait before sending again what did not arrive.',
  },
  ...backendFlags('audit-webhook', { mode: 'batch', batch: '400', wait: '30s', throttle: 'true' }),
] as const satisfies readonly Flag[]
