// The flags of the audit log.
import { count, duration, file, type Flag, flagsOf, off, on, oneOf, text } from './flag.ts'

type Backend = 'audit-log' | 'audit-webhook'
type Suffix = keyof ReturnType<typeof backendRows>

interface Defaults {
  readonly mode: string
  readonly batch: string
  readonly wait: string
  readonly throttle: boolean
}

/** The flags that the log file and the webhook have in common, without their prefix. */
function backendRows({ mode, batch, wait, throttle }: Defaults) {
  return {
    mode: oneOf(
      ['batch', 'blocking', 'blocking-strict'],
      text(
        'MODE',
        'batch: buffer events and write them asynchronously. blocking: write each event before the response. blocking-strict: like blocking, and reject a request if the event of its arrival cannot be written.',
        mode,
      ),
    ),
    'batch-buffer-size': count(
      'Number of events that are buffered in batch mode. Further events are dropped, and a metric counts them.',
      '10000',
    ),
    'batch-max-size': count('Maximum number of events in a batch.', batch),
    'batch-max-wait': duration('Longest time before a batch that is not full is written.', wait),
    'batch-throttle-enable': (throttle ? on : off)('Limit the rate of batches.'),
    'batch-throttle-qps': count('Average number of batches per second.', '10'),
    'batch-throttle-burst': count('Maximum number of batches that are sent at once after a pause.', '15'),
    'truncate-enabled': off('Truncate events and batches that are too large.'),
    'truncate-max-event-size': count(
      'Maximum size of an event in bytes. A larger event loses its bodies, and is dropped if it is still too large.',
      '102400',
    ),
    'truncate-max-batch-size': count('Maximum size of a batch in bytes. Larger batches are split.', '10485760'),
  } as const
}

function backendFlags<B extends Backend>(
  backend: B,
  defaults: Defaults,
): readonly (Flag & { readonly name: `${B}-${Suffix}` })[] {
  return flagsOf('Audit', backendRows(defaults)).map((flag) => ({ ...flag, name: `${backend}-${flag.name}` as const }))
}

export const AUDIT_FLAGS = [
  ...flagsOf('Audit', {
    'audit-policy-file': file('Audit policy: a Policy of audit.k8s.io/v1. Default: nothing is audited.'),
    'audit-log-path': text('FILE', 'File for audit events; - for standard output.'),
    'audit-log-format': oneOf(
      ['json', 'legacy'],
      text('FORMAT', 'json: one JSON object per line. legacy: one line of text.', 'json'),
    ),
    'audit-log-maxage': count('Days to keep old audit log files; 0 for no limit.', '366'),
    'audit-log-maxbackup': count('Number of old audit log files to keep; 0 for no limit.', '100'),
    'audit-log-maxsize': count('Size in megabytes at which the audit log is rotated.', '100'),
    'audit-log-compress': off('Compress rotated audit log files with gzip.'),
  }),
  ...backendFlags('audit-log', { mode: 'blocking', batch: '1', wait: '0s', throttle: false }),
  ...flagsOf('Audit', {
    'audit-webhook-config-file': file('kubeconfig of a webhook that receives the audit events.'),
    'audit-webhook-initial-backoff': duration('Backoff before the first retry of a failed request.', '10s'),
  }),
  ...backendFlags('audit-webhook', { mode: 'batch', batch: '400', wait: '30s', throttle: true }),
] as const
