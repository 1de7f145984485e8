// The part of the configuration that says what is written down of requests.
import type { FlagName } from './flags.ts'
import { duration, integer, oneOf, type SettingReader } from './setting-reader.ts'

export interface AuditConfig {
  /** Undefined: nothing is audited, whatever the rest says (P-180). */
  readonly policyFile: string | undefined
  readonly log: (AuditBackendConfig & AuditLogConfig) | undefined
  readonly webhook: (AuditBackendConfig & AuditWebhookConfig) | undefined
}

export interface AuditLogConfig {
  /** `-`: the standard output. */
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
  readonly truncate: { readonly maxEventBytes: number; readonly maxBatchBytes: number } | undefined
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
    maxAgeDays: count(read, 'audit-log-maxage', 'a number of days'),
    maxBackups: count(read, 'audit-log-maxbackup', 'a number of files'),
    maxMegabytes: count(read, 'audit-log-maxsize', 'a number of megabytes'),
    compress: read.switch('audit-log-compress'),
  }
}

function backendConfig(read: SettingReader, backend: 'audit-log' | 'audit-webhook'): AuditBackendConfig {
  return {
    mode: oneOf(read.required(`${backend}-mode`), MODES),
    bufferSize: count(read, `${backend}-batch-buffer-size`, 'a number of events', 1),
    maxSize: count(read, `${backend}-batch-max-size`, 'a number of events', 1),
    maxWaitMs: duration(read.required(`${backend}-batch-max-wait`)),
    throttle: read.switch(`${backend}-batch-throttle-enable`)
      ? {
          perSecond: count(read, `${backend}-batch-throttle-qps`, 'a number of batches', 1),
          burst: count(read, `${backend}-batch-throttle-burst`, 'a number of batches', 1),
        }
      : undefined,
    truncate: read.switch(`${backend}-truncate-enabled`)
      ? {
          maxEventBytes: count(read, `${backend}-truncate-max-event-size`, 'a number of bytes', 1),
          maxBatchBytes: count(read, `${backend}-truncate-max-batch-size`, 'a number of bytes', 1),
        }
      : undefined,
  }
}

function count(read: SettingReader, name: FlagName, what: string, least = 0): number {
  return integer(read.required(name), { least, most: 999_999_999, what })
}
