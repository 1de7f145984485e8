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
  const clientCa = config.clientCaFile === undefined ? undefined : readAuthorities(config.clientCaFile)
  const { servingCertificate: given } = config
  if (given === undefined) {
    const own = ownCertificate(config.dataDirectory, [config.bindAddress, config.serviceIpRange.firstAddress])
    return { tls: { certificate: own.certificate, key: own.key, clientCa }, authority: own.authority }
  }
  const certificate = readTextFile(given.certificateFile, '--tls-cert-file')
  const key = readTextFile(given.keyFile, '--tls-private-key-file')
  checkPair(certificate, key, {
    certificate: `--tls-cert-file ${given.certificateFile}`,
    key: `--tls-private-key-file ${given.keyFile}`,
  })
  return { tls: { certificate, key, clientCa }, authority: undefined }
}

function readAuthorities(file: string): string {
  const text = readTextFile(file, '--client-ca-file')
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new StartError(`--client-ca-file ${file} does not hold a certificate in PEM form`)
  }
  return text
}

type ListenParts = Pick<ListenerOptions, 'tls' | 'handler' | 'onTimeout' | 'log' | 'observe'>

export async function listen(config: Config, parts: ListenParts): Promise<Listener> {
  const { bindAddress: host, securePort: port, requestTimeoutMs, maxStreamsPerConnection } = config
  try {
    return await openListener({ ...parts, host, port, requestTimeoutMs, maxStreamsPerConnection })
  } catch (error) {
    const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
    throw new StartError(`cannot listen on ${where}: ${reasonOf(error)}`, { cause: error })
  }
}
