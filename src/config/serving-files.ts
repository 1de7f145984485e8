// Reads the certificates of the server, and the authorities of its clients, from the configured files.
import { X509Certificate } from 'node:crypto'
import type { NamedCertificate, TlsFiles } from '../http/tls-server.ts'
import { checkPair, ownCertificate } from './certificates.ts'
import type { Config } from './config.ts'
import { readAuthorities, readTextFile } from './files.ts'
import type { CertificatePair, NamedPair } from './setting-reader.ts'

export interface ServingFiles {
  readonly tls: TlsFiles
  /** The authority that clients need. Undefined: the authority of the operator's certificate is in no file. */
  readonly authority: string | undefined
}

export function servingFiles(config: Config): ServingFiles {
  const trusted = { ...clientAuthorities(config), named: namedCertificates(config.namedCertificates) }
  const { servingCertificate: given } = config
  if (given === undefined) {
    const own = ownCertificate(config.certificateDirectory, [config.bindAddress, config.serviceIpRange.firstAddress])
    return { tls: { certificate: own.certificate, key: own.key, ...trusted }, authority: own.authority }
  }
  const pair = readPair(given, '--tls-cert-file', '--tls-private-key-file')
  return { tls: { ...pair, ...trusted }, authority: authorityOf(pair.certificate, readPeerAuthority(config) ?? '') }
}

/** The self-signed authority of the chain, from the chain itself or from `peers`. Undefined: it is in neither. */
function authorityOf(chain: string, peers: string): string | undefined {
  const known = certificatesIn(chain + peers)
  let [current] = known
  // The number of steps is bounded, because the certificates may lead in a circle.
  for (let steps = 0; current !== undefined && steps < known.length; steps++) {
    const signed = current
    const issuer = known.find((each) => signed.checkIssued(each) && signed.verify(each.publicKey))
    if (issuer === undefined || issuer.fingerprint256 === current.fingerprint256) break
    current = issuer
  }
  return current?.checkIssued(current) === true ? current.toString() : undefined
}

function certificatesIn(pem: string): readonly X509Certificate[] {
  return Array.from(pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g), ([text]) => text).map(
    (text) => new X509Certificate(text),
  )
}

function readPair(
  { certificateFile, keyFile }: CertificatePair,
  certificateFlag: string,
  keyFlag: string,
): Pick<TlsFiles, 'certificate' | 'key'> {
  const certificate = readTextFile(certificateFile, certificateFlag)
  const key = readTextFile(keyFile, keyFlag)
  checkPair(certificate, key, { certificate: `${certificateFlag} ${certificateFile}`, key: `${keyFlag} ${keyFile}` })
  return { certificate, key }
}

/** The certificate for other replicas and for aggregated servers. */
export function readProxyCertificate({
  proxyCertificate: pair,
}: Config): { readonly certificate: string; readonly key: string } | undefined {
  return pair && readPair(pair, '--proxy-client-cert-file', '--proxy-client-key-file')
}

/** The authority for the certificates of other replicas. Undefined: the operator names none. */
export function readPeerAuthority({ cluster }: Config): string | undefined {
  return readAuthorities(cluster.peers.caFile, '--peer-ca-file')
}

/** The certificate for kubelets, and the authority for the certificates of kubelets. */
export function readKubeletFiles({ cluster: { kubelets } }: Config): KubeletFiles {
  const { certificate: pair, caFile } = kubelets
  return {
    certificate: pair && readPair(pair, '--kubelet-client-certificate', '--kubelet-client-key'),
    authority: readAuthorities(caFile, '--kubelet-certificate-authority'),
  }
}

export interface KubeletFiles {
  /** Undefined: the server shows no certificate. */
  readonly certificate: { readonly certificate: string; readonly key: string } | undefined
  /** Undefined: the authorities that the machine trusts. */
  readonly authority: string | undefined
}

/** The last match wins: full names come after names with a star, and names from a flag after names in a certificate. */
function namedCertificates(pairs: readonly NamedPair[]): readonly NamedCertificate[] {
  const named = pairs.flatMap((pair) => {
    const files = readPair(pair, '--tls-sni-cert-key', '--tls-sni-cert-key')
    const byFlag = pair.names.length > 0
    const names = byFlag ? pair.names : namesInCertificate(files.certificate)
    return names.map((name) => ({ name, ...files, rank: (byFlag ? 2 : 0) + (name.includes('*') ? 0 : 1) }))
  })
  // If two names match equally well, the reference takes the first.
  return named.toReversed().sort((a, b) => a.rank - b.rank)
}

function namesInCertificate(pem: string): readonly string[] {
  const { subject, subjectAltName = '' } = new X509Certificate(pem)
  const names = subjectAltName.split(', ').flatMap((entry) => /^DNS:(.+)$/.exec(entry)?.[1] ?? [])
  return names.length > 0 ? names : (/^CN=(.+)$/m.exec(subject)?.slice(1) ?? [])
}

/** The operator's files for serving, which may change. */
export function operatorsFiles(config: Config): readonly string[] {
  const { servingCertificate: pair, namedCertificates: named, clientCaFile, identity } = config
  const pairs = [pair, ...named].flatMap((one) => [one?.certificateFile, one?.keyFile])
  const files = [...pairs, clientCaFile, identity.frontProxy?.caFile]
  return files.filter((file) => file !== undefined)
}

/** Reads the certificates again. A certificate of our own stays if it has no directory: each read would make a new one. */
export function readServingFiles(config: Config, current: TlsFiles): TlsFiles {
  if (config.certificateDirectory !== undefined || config.servingCertificate !== undefined)
    return servingFiles(config).tls
  return { ...current, ...clientAuthorities(config), named: namedCertificates(config.namedCertificates) }
}

function clientAuthorities({ clientCaFile, identity }: Config): Pick<TlsFiles, 'clientCa' | 'proxyCa'> {
  return {
    clientCa: readAuthorities(clientCaFile, '--client-ca-file'),
    proxyCa: readAuthorities(identity.frontProxy?.caFile, '--requestheader-client-ca-file'),
  }
}
