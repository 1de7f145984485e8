// The configuration of auditing.
import { duration, integer, oneOf, type SettingReader } from './setting-reader.ts'

export interface AuditConfig {
  /** Undefined: nothing is audited, even with a log or a webhook (P-180). */
  readonly policyFile: string | undefined
  readonly log: (AuditBackendConfig & AuditLogConfig) | undefined
  readonly webhook: (AuditBackendConfig & AuditWebhookConfig) | undefined
}

export interface AuditLogConfig {
  /** `-`: standard output. */
  readonly path: string
  readonly form: 'json' | 'legacy'
  readonly maxAgeDays: number
  readonly maxBackups: number
  readonly maxMegabytes: number
  readonly compress: boolean
}

export interface AuditWebhookConfig {
  readonly configFile: string
  readonly backoffMs: number
}

export interface AuditBackendConfig {
  readonly mode: AuditMode
  readonly bufferSize: number
  readonly maxSize: number
  readonly maxWaitMs: number
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined
  /** Infinity: events stay whole. */
  readonly maxEventBytes: number
  readonly maxBatchBytes: number
}

const MODES = ['batch', 'blocking', 'blocking-strict'] as const
export type AuditMode = (typeof MODES)[number]

export function auditConfig(read: SettingReader): AuditConfig {
  const configFile = read.file('audit-webhook-config-file')
  const path = read.optional('audit-log-path')?.text ?? ''
  return {
    policyFile: read.file('audit-policy-file'),
    log: path === '' ? undefined : { ...logConfig(read), ...backendConfig(read, 'audit-log') },
    webhook:
      configFile === undefined
        ? undefined
        : {
            configFile,
            backoffMs: duration(read.required('audit-webhook-initial-backoff')),
            ...backendConfig(read, 'audit-webhook'),
          },
  }
}

function logConfig(read: SettingReader): AuditLogConfig {
  const path = read.required('audit-log-path').text
  return {
    path: path === '-' ? path : read.file('audit-log-path')!,
    form: oneOf(read.required('audit-log-format'), ['json', 'legacy']),
    maxAgeDays: integer(read.required('audit-log-maxage')),
    maxBackups: integer(read.required('audit-log-maxbackup')),
    maxMegabytes: integer(read.required('audit-log-maxsize')),
    compress: read.switch('audit-log-compress'),
  }
}

function backendConfig(read: SettingReader, backend: 'audit-log' | 'audit-webhook'): AuditBackendConfig {
  return {
    mode: oneOf(read.required(`${backend}-mode`), MODES),
    bufferSize: integer(read.required(`${backend}-batch-buffer-size`), 1),
    maxSize: integer(read.required(`${backend}-batch-max-size`), 1),
    maxWaitMs: duration(read.required(`${backend}-batch-max-wait`)),
    throttle: read.switch(`${backend}-batch-throttle-enable`)
      ? {
          perSecond: integer(read.required(`${backend}-batch-throttle-qps`), 1),
          burst: integer(read.required(`${backend}-batch-throttle-burst`), 1),
        }
      : undefined,
    maxEventBytes: read.switch(`${backend}-truncate-enabled`)
      ? integer(read.required(`${backend}-truncate-max-event-size`), 1)
      : Number.POSITIVE_INFINITY,
    maxBatchBytes: integer(read.required(`${backend}-truncate-max-batch-size`), 1),
  }
}
