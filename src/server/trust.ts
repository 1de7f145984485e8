// Authentication by client certificate, of users and of authenticating proxies. Their CA bundles are reloaded.
import type { Authenticator } from '../auth/authenticator.ts'
import { CertificateAuthorities } from '../auth/certificate-authorities.ts'
import { clientCertificates } from '../auth/client-certificate.ts'
import { frontProxy } from '../auth/front-proxy.ts'
import type { PublishedAuthentication } from '../controllers/extension-authentication.ts'
import type { TlsFiles } from '../http/tls-server.ts'
import { systemClock } from '../lib/clock.ts'
import type { Config } from '../config/config.ts'
import { reasonOf, StartError } from '../config/start-error.ts'

export interface Trust {
  /** In the order of their use. */
  readonly methods: readonly Authenticator[]
  /** Replaces the authorities. Throws if the new authorities cannot be read. */
  readonly renew: (tls: TlsFiles) => void
  /** The current data for other servers. */
  readonly published: () => PublishedAuthentication
}

export function openTrust({ identity }: Config, tls: TlsFiles): Trust {
  const clients = authorities(tls.clientCa, '--client-ca-file')
  const proxies = authorities(tls.proxyCa, '--requestheader-client-ca-file')
  const { frontProxy: proxy } = identity
  const methods: Authenticator[] = []
  if (proxy !== undefined && proxies !== undefined) {
    // Otherwise the certificate of every user would count as that of a proxy, and its holder could act as any user (P-078).
    if (proxy.allowedNames.length === 0 && clients?.overlaps(proxies) === true) {
      throw new StartError(
        '--requestheader-client-ca-file and --client-ca-file share a CA: --requestheader-allowed-names is required',
      )
    }
    const lower = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase())
    const headers = {
      user: lower(proxy.userHeaders),
      uid: lower(proxy.uidHeaders),
      group: lower(proxy.groupHeaders),
      extraPrefix: lower(proxy.extraPrefixes),
    }
    methods.push(frontProxy({ authorities: proxies, allowedNames: proxy.allowedNames, headers, clock: systemClock }))
  }
  if (clients !== undefined) methods.push(clientCertificates(clients, systemClock))
  let current = tls
  return {
    methods,
    renew: (files) => {
      if (files.clientCa !== undefined) clients?.replace(files.clientCa)
      if (files.proxyCa !== undefined) proxies?.replace(files.proxyCa)
      current = files
    },
    published: () => ({
      clientCa: current.clientCa,
      proxy: proxy === undefined || current.proxyCa === undefined ? undefined : { ...proxy, ca: current.proxyCa },
    }),
  }
}

function authorities(pem: string | undefined, flag: string): CertificateAuthorities | undefined {
  if (pem === undefined) return undefined
  try {
    return new CertificateAuthorities(pem)
  } catch (error) {
    throw new StartError(`${flag} ${reasonOf(error)}`, { cause: error })
  }
}
