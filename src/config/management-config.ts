// The listeners that serve health checks, metrics and debug pages to operators, and their access rules.
import { isIP } from 'node:net'
import type { ManagementFlag } from './flags-management.ts'
import { integer, type SettingReader } from './setting-reader.ts'
import type { Setting } from './settings.ts'
import { usageError } from './start-error.ts'

export interface ManagementConfig {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** The flag that opens the listener, for messages. */
  readonly source: string
  /** Whether the listener serves only health checks. */
  readonly probesOnly: boolean
  /** Whether other machines may read the health checks without credentials. */
  readonly openProbes: boolean
  readonly tokenFile: string | undefined
  /** Undefined: no TLS. */
  readonly clientCaFile: string | undefined
}

/** Undefined: nothing is served. */
export function managementConfig(
  read: Pick<SettingReader<ManagementFlag>, 'optional' | 'file' | 'switch'>,
): ManagementConfig | undefined {
  const setting = read.optional('management-address')
  const tokenFile = read.file('management-token-file')
  const clientCaFile = read.file('management-client-ca-file')
  const openProbes = read.switch('management-open-probes')
  if (setting === undefined || setting.text === '') {
    const names = ['management-token-file', 'management-client-ca-file', 'management-open-probes'] as const
    const stray = [tokenFile, clientCaFile, openProbes || undefined].findIndex((value) => value !== undefined)
    if (stray !== -1) throw usageError(`--${names[stray]} requires --management-address`)
    return undefined
  }
  return { ...parseAddress(setting), source: setting.source, probesOnly: false, openProbes, tokenFile, clientCaFile }
}

/** `--healthz-port`, which serves only health, and only to this machine. */
export function healthzConfig(setting: Setting): ManagementConfig | undefined {
  const port = integer(setting, 0, 65_535)
  if (port === 0) return undefined
  const { source } = setting
  const closed = { openProbes: false, tokenFile: undefined, clientCaFile: undefined }
  return { host: '127.0.0.1', port, source, probesOnly: true, ...closed }
}

export function parseAddress({ text, source }: Setting): Pick<ManagementConfig, 'host' | 'port'> {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? []
  const host = plain === 'localhost' ? '127.0.0.1' : (bracketed ?? plain ?? '')
  const family = isIP(host)
  const isWhole = Number(digits) <= 65_535 && family === (bracketed === undefined ? 4 : 6)
  if (isWhole) return { host, port: Number(digits) }
  throw usageError(`${source}: "${text}" is not HOST:PORT, such as 127.0.0.1:10248, [::1]:10248 or localhost:10248`)
}
