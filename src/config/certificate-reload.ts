// Reloads serving certificates and CA bundles when their files change, and renews the server's own certificate before it expires
// (P-025, P-475). Files that are invalid, or do not match yet, are retried.
import type { Log } from '../lib/log.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { ReloadRequests } from './reload-requests.ts'
import { reloadFiles } from './reloaded-files.ts'
import { reasonOf } from './start-error.ts'
import type { Config } from './config.ts'
import type { TlsFiles } from '../http/tls-server.ts'
import { operatorsFiles, readServingFiles, type ServingFiles } from './serving-files.ts'

export interface CertificateReloadOptions<Files> {
  readonly current: Files
  /** The operator's certificates. */
  readonly files: readonly string[]
  /** Reads the certificates again. Makes a new certificate of our own if it is due. */
  readonly read: () => MaybePromise<Files>
  readonly use: (files: Files) => void
  /** The interval of the periodic checks. */
  readonly everyMs?: number
  readonly reloads: ReloadRequests
  readonly log: Log
}

const LOOK_EVERY_MS = 60_000

/** Resolves when the signal fires. */
export async function reloadCertificates<Files>(
  options: CertificateReloadOptions<Files>,
  signal: AbortSignal,
): Promise<void> {
  const { files, read, use, everyMs = LOOK_EVERY_MS, reloads, log } = options
  let current = JSON.stringify(options.current)
  const look = async (): Promise<void> => {
    const found = await read()
    const text = JSON.stringify(found)
    if (text === current) return
    use(found)
    current = text
    log.info({}, 'reloaded serving certificates')
  }
  const onProblem = (error: unknown): void =>
    log.warn({ reason: reasonOf(error) }, 'could not reload serving certificates; keeping the previous ones')
  await reloadFiles({ files, everyMs, reloads, look, onProblem }, signal)
}

export interface ServingRenewal extends Pick<CertificateReloadOptions<TlsFiles>, 'reloads' | 'log'> {
  readonly config: Config
  readonly serving: ServingFiles
}

/** Replaces the certificates of the server and the trusted ones when their files change. Ends with the signal. */
export function renewServing(
  { config, log, serving, reloads }: ServingRenewal,
  use: (files: TlsFiles) => void,
  signal: AbortSignal,
): Promise<void> {
  const { tls: current } = serving
  const files = operatorsFiles(config)
  const read = (): TlsFiles => readServingFiles(config, current)
  return reloadCertificates({ current, files, read, use, reloads, log }, signal)
}
