// Sets up auditing: the policy and the backends. Without a policy, nothing is audited (P-180).
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { Auditor } from '../audit/auditor.ts'
import { type AuditBackend, BatchedEvents, eachEvent, type EventSink, fitEvent, truncating } from '../audit/backends.ts'
import { LogFile, type LogFileOptions } from '../audit/log-file.ts'
import { AuditMeasures } from '../audit/measures.ts'
import { type AuditPolicy, parsePolicy } from '../audit/policy.ts'
import { lineBackend, lineSink, type LineTarget, printed, webhookSink } from '../audit/sinks.ts'
import type { BodyText } from '../audit/redact.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import type { StageOptions } from '../http/stages.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { makeDirectory } from '../lib/make-directory.ts'
import type { Count } from '../lib/measure.ts'
import { type OutgoingCaller } from '../outgoing/call.ts'
import type { AuditBackendConfig, AuditConfig } from '../config/audit-config.ts'
import { readFileAs } from '../config/files.ts'
import type { ReloadRequests } from '../config/reload-requests.ts'
import { reasonOf, StartError } from '../config/start-error.ts'
import { readWebhookKubeconfig } from '../config/webhook-kubeconfig.ts'

export interface AuditParts {
  readonly caller: OutgoingCaller
  readonly bodyText: BodyText
  readonly clock: Clock
  readonly log: Log
  readonly reloads: ReloadRequests
  /** The file of the policy at a reload. Absent: the file of the start. */
  readonly policyFile?: (() => string | undefined) | undefined
  /** For a log file that several workers write: whether this worker rotates it. */
  readonly rotatesShared?: (() => boolean) | undefined
}

export interface RunningAudit {
  /** Undefined: nothing is audited. */
  readonly filter: StageOptions['audit']
  readonly measures: AuditMeasures
  /** Resolves when everything is written. */
  close(): Promise<void>
}

export function openAudit(config: AuditConfig, parts: AuditParts): RunningAudit {
  const measures = new AuditMeasures()
  const { policyFile } = config
  if (policyFile === undefined) return { filter: undefined, measures, close: () => Promise.resolve() }
  const backends = [...logBackends(config, measures, parts), ...webhookBackends(config, measures, parts)]
  const { clock, bodyText } = parts
  const auditor = new Auditor({ policy: readPolicy(policyFile), backends, clock, measures, bodyText })
  parts.reloads.listen(() => {
    try {
      const file = parts.policyFile?.() ?? policyFile
      auditor.policy = readPolicy(file)
      parts.log.info({ file }, 'reloaded audit policy')
    } catch (error) {
      parts.log.error({ reason: reasonOf(error) }, 'could not reload audit policy; keeping the previous one')
    }
  })
  const filter: StageOptions['audit'] = {
    auditor,
    onRejected: () => void measures.rejected.of().value++,
  }
  return {
    filter,
    measures,
    async close() {
      await auditor.flushed()
      const ends = await Promise.allSettled(backends.map((backend) => backend.close()))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    },
  }
}

function readPolicy(file: string): AuditPolicy {
  return readFileAs(file, '--audit-policy-file', (text) => parsePolicy(parseYaml(Buffer.from(text)).value))
}

const MEGABYTE = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000

function logBackends(
  { log: config }: AuditConfig,
  measures: AuditMeasures,
  parts: AuditParts,
): readonly AuditBackend[] {
  if (config === undefined) return []
  const errors = measures.errors.of('log')
  const target: LineTarget =
    config.path === '-'
      ? printed((line) => void process.stdout.write(line))
      : logFile(
          {
            file: writable(config.path),
            maxBytes: Math.max(1, config.maxMegabytes === 0 ? 100 : config.maxMegabytes) * MEGABYTE,
            maxBackups: config.maxBackups,
            maxAgeMs: config.maxAgeDays * DAY_MS,
            compress: config.compress,
            rotatesShared: parts.rotatesShared,
            clock: systemClock,
            onLost: (lines) => {
              errors.value += lines
              parts.log.error({ file: config.path, lines }, 'could not write audit events')
            },
          },
          parts.reloads,
        )
  // `onLost` has counted the lines of a batch that cannot be written, so `failures` is not used.
  if (config.mode === 'batch')
    return [batched(lineSink(target, config.form), config, { errors, failures: { value: 0 } })]
  return [
    lineBackend(target, {
      form: config.form,
      strict: config.mode === 'blocking-strict',
      fit: (event) => {
        const fitting = fitEvent(event, config.maxEventBytes)
        if (fitting === undefined) errors.value++
        return fitting
      },
    }),
  ]
}

/** Opens the log file. Each reload reopens it, because a log rotation may have moved it. */
function logFile(options: LogFileOptions, reloads: ReloadRequests): LogFile {
  const made = new LogFile(options)
  reloads.listen(() => made.reopen())
  return made
}

/** Creates the file. Throws a `StartError` if it cannot be written (P-190). */
function writable(file: string): string {
  try {
    makeDirectory(path.dirname(file), 0o700)
    closeSync(openSync(file, 'a', 0o600))
    return file
  } catch (error) {
    throw new StartError(`--audit-log-path ${file} cannot be written: ${reasonOf(error)}`, { cause: error })
  }
}

const POST_TIMEOUT_MS = 30_000

function webhookBackends(
  { webhook: config }: AuditConfig,
  measures: AuditMeasures,
  { caller, log }: AuditParts,
): readonly AuditBackend[] {
  if (config === undefined) return []
  const errors = measures.errors.of('webhook')
  const target = readWebhookKubeconfig(config.configFile, '--audit-webhook-config-file')
  const post = async (body: string, signal: AbortSignal): Promise<number | undefined> => {
    const call = {
      body,
      userAgent: 'quarterdeck',
      timeoutMs: POST_TIMEOUT_MS,
      tellTimeout: false,
      maxAnswerBytes: MEGABYTE,
    }
    try {
      return (await caller.call(target, call, signal)).status
    } catch (error) {
      log.warn({ err: error }, 'could not send audit events to the webhook')
      return undefined
    }
  }
  const sink = webhookSink({ post, backoffMs: config.backoffMs, clock: systemClock })
  if (config.mode === 'batch') return [batched(sink, config, { errors, failures: errors })]
  return [eachEvent(truncating(sink, config, errors), errors, config.mode === 'blocking-strict')]
}

/** `errors`: truncated or dropped events. `failures`: events that could not be written. */
function batched(
  sink: EventSink,
  config: AuditBackendConfig,
  counts: { readonly errors: Count; readonly failures: Count },
): AuditBackend {
  return new BatchedEvents(truncating(sink, config, counts.errors), config, { clock: systemClock, ...counts })
}
