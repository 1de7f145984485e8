// The listener with the certificates that the configuration asks for, and its faults in words.
import { type Listener, type ListenerOptions, openListener, type TlsFiles } from '../http/listener.ts'
import { checkPair, ownCertificate } from './certificates.ts'
import type { Config } from './config.ts'
import { readTextFile } from './files.ts'
import { reasonOf, StartError } from './start-error.ts'

export interface ServingFiles {
  readonly tls: TlsFiles
  /** What clients need to trust us; undefined where the operator brought the certificate. */
  readonly authority: string | undefined
}

export function servingFiles(config: Config): ServingFiles {
  const trusted = clientAuthorities(config)
  const { servingCertificate: given } = config
  if (given === undefined) {
    const own = ownCertificate(config.certificateDirectory, [config.bindAddress, config.serviceIpRange.firstAddress])
    return { tls: { certificate: own.certificate, key: own.key, ...trusted }, authority: own.authority }
  }
  const certificate = readTextFile(given.certificateFile, '--tls-cert-file')
  const key = readTextFile(given.keyFile, '--tls-private-key-file')
  checkPair(certificate, key, {
    certificate: `--tls-cert-file ${given.certificateFile}`,
    key: `--tls-private-key-file ${given.keyFile}`,
  })
  return { tls: { certificate, key, ...trusted }, authority: undefined }
}

/** What the operator brought to serve with, and may replace. */
export function operatorsFiles({ servingCertificate: pair, clientCaFile, identity }: Config): readonly string[] {
  const files = [pair?.certificateFile, pair?.keyFile, clientCaFile, identity.frontProxy?.caFile]
  return files.filter((file) => file !== undefined)
}

/** What is served with now, read anew. A certificate of our own that is kept nowhere would be another one at every look. */
export function readServingFiles(config: Config, current: TlsFiles): TlsFiles {
  if (config.certificateDirectory !== undefined || config.servingCertificate !== undefined)
    return servingFiles(config).tls
  return { ...current, ...clientAuthorities(config) }
}

function clientAuthorities({ clientCaFile, identity }: Config): Pick<TlsFiles, 'clientCa' | 'proxyCa'> {
  return {
    clientCa: readAuthorities(clientCaFile, '--client-ca-file'),
    proxyCa: readAuthorities(identity.frontProxy?.caFile, '--requestheader-client-ca-file'),
  }
}

function readAuthorities(file: string | undefined, flag: string): string | undefined {
  if (file === undefined) return undefined
  const text = readTextFile(file, flag)
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new StartError(`${flag} ${file} does not hold a certificate in PEM form`)
  }
  return text
}

type ListenParts = Pick<ListenerOptions, 'tls' | 'handler' | 'onTimeout' | 'log' | 'observe' | 'onHandshakeError'>

export async function listen(config: Config, parts: ListenParts): Promise<Listener> {
  const { bindAddress: host, securePort: port, requestTimeoutMs, maxStreamsPerConnection, tlsRules } = config
  try {
    return await openListener({ ...parts, ...tlsRules, host, port, requestTimeoutMs, maxStreamsPerConnection })
  } catch (error) {
    const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
    throw new StartError(`cannot listen on ${where}: ${reasonOf(error)}`, { cause: error })
  }
}
