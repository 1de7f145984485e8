// Keeps what is served with up to date while the server runs: certificate files that the operator replaces, and our own
// certificate before it expires (P-025, P-475). What cannot be read or does not fit together is left for the next look.
import { setTimeout as sleep } from 'node:timers/promises'
import type { TlsFiles } from '../http/listener.ts'
import type { Log } from '../lib/log.ts'
import { reasonOf } from './start-error.ts'

export interface RenewalOptions {
  readonly current: TlsFiles
  /** Reads them anew; makes a new certificate of our own where that is due. */
  readonly read: () => TlsFiles
  readonly use: (files: TlsFiles) => void
  readonly everyMs: number
  readonly log: Log
}

/** Resolves when the signal fires. */
export async function renewCertificates(options: RenewalOptions, signal: AbortSignal): Promise<void> {
  let { current } = options
  while (await isTime(options.everyMs, signal)) {
    try {
      const files = options.read()
      if (isSame(files, current)) continue
      options.use(files)
      current = files
      options.log.info({}, 'serving with new certificates')
    } catch (error) {
      options.log.warn({ reason: reasonOf(error) }, 'certificates cannot be renewed')
    }
  }
}

async function isTime(everyMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(everyMs, undefined, { signal, ref: false })
    return true
  } catch {
    return false
  }
}

function isSame(one: TlsFiles, other: TlsFiles): boolean {
  return (
    one.certificate === other.certificate &&
    one.key === other.key &&
    one.clientCa === other.clientCa &&
    one.proxyCa === other.proxyCa
  )
}
