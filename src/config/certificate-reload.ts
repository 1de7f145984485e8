// Reloads serving certificates and CA bundles when their files change, and renews the server's own certificate before it expires (P-025,
// P-475). Files that are invalid, or do not match each other yet, are read again later.
import { followContent, type FollowedContent } from './reloaded-files.ts'
import type { Config } from './config.ts'
import type { TlsFiles } from '../http/tls-server.ts'
import { operatorsFiles, readServingFiles, type ServingFiles } from './serving-files.ts'

export type CertificateReloadOptions<Files> = Pick<
  FollowedContent<Files>,
  'current' | 'files' | 'read' | 'use' | 'reloads' | 'log'
> & { readonly everyMs?: number }

const CERTIFICATES = { what: 'serving certificates', previous: 'ones', level: 'warn', everyMs: 60_000 } as const

/** `read` makes a new certificate of our own if it is due. Resolves when the signal fires. */
export function reloadCertificates<Files>(
  options: CertificateReloadOptions<Files>,
  signal: AbortSignal,
): Promise<void> {
  return followContent({ ...CERTIFICATES, ...options }, signal)
}

export interface ServingRenewal extends Pick<CertificateReloadOptions<TlsFiles>, 'reloads' | 'log'> {
  readonly config: Config
  readonly serving: ServingFiles
}

/** Passes the server's certificates and the trusted certificates to `use` when their files change. Resolves when the signal fires. */
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
