// Reloads serving certificates and CA bundles when their files change, and renews the server's own certificate before it expires
// (P-025, P-475). Files that are invalid, or do not match yet, are retried.
import type { TlsFiles } from '../http/listener.ts'
import type { Log } from '../lib/log.ts'
import type { ReloadRequests } from '../config/reload-requests.ts'
import { reloadFiles } from '../config/reloaded-files.ts'
import { reasonOf } from '../config/start-error.ts'
import type { Config } from '../config/config.ts'
import { operatorsFiles, readServingFiles, type ServingFiles } from './serving.ts'

export interface CertificateReloadOptions {
  readonly current: TlsFiles
  /** Those that the operator brought. */
  readonly files: readonly string[]
  /** Reads them anew; makes a new certificate of our own where that is due. */
  readonly read: () => TlsFiles
  readonly use: (files: TlsFiles) => void
  readonly everyMs: number
  readonly reloads: ReloadRequests
  readonly log: Log
}

/** Resolves when the signal fires. */
export async function reloadCertificates(options: CertificateReloadOptions, signal: AbortSignal): Promise<void> {
  const { files, read, use, everyMs, reloads, log } = options
  let { current } = options
  const look = (): void => {
    const found = read()
    if (isSame(found, current)) return
    use(found)
    current = found
    log.info({}, 'reloaded serving certificates')
  }
  const onProblem = (error: unknown): void =>
    log.warn({ reason: reasonOf(error) }, 'could not reload serving certificates; keeping the previous ones')
  await reloadFiles({ files, everyMs, reloads, look, onProblem }, signal)
}

/** How often certificates are looked at where nobody tells of a change. */
const RENEW_EVERY_MS = 60_000

export interface ServingRenewal extends Pick<CertificateReloadOptions, 'reloads' | 'log'> {
  readonly config: Config
  readonly serving: ServingFiles
}

/** Has other certificates used, and others trusted, when the files say so; until the signal fires. */
export function renewServing(
  { config, log, serving, reloads }: ServingRenewal,
  use: (files: TlsFiles) => void,
  signal: AbortSignal,
): Promise<void> {
  const { tls: current } = serving
  const files = operatorsFiles(config)
  const read = (): TlsFiles => readServingFiles(config, current)
  return reloadCertificates({ current, files, read, use, everyMs: RENEW_EVERY_MS, reloads, log }, signal)
}

function isSame(one: TlsFiles, other: TlsFiles): boolean {
  return (
    one.certificate === other.certificate &&
    one.key === other.key &&
    one.clientCa === other.clientCa &&
    one.proxyCa === other.proxyCa &&
    JSON.stringify(one.named) === JSON.stringify(other.named)
  )
}
