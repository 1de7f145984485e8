// The certificates that this server shows to other replicas, to aggregated servers and to kubelets, and the authorities that it trusts. The
// files are read again when they change: tools that issue certificates for a few weeks replace them while the server runs.
import { followContent } from './reloaded-files.ts'
import type { ReloadRequests } from './reload-requests.ts'
import type { Config } from './config.ts'
import type { Log } from '../lib/log.ts'
import { type KubeletFiles, readKubeletFiles, readPeerAuthority, readProxyCertificate } from './serving-files.ts'

interface PeerFilesParts {
  readonly config: Config
  readonly reloads: ReloadRequests
  readonly log: Log
}

interface FoundFiles {
  readonly proxyCertificate: ReturnType<typeof readProxyCertificate>
  readonly peerAuthority: string | undefined
  readonly kubelets: KubeletFiles
}

const RELOAD = { what: 'the certificate for other servers', everyMs: 60_000, level: 'warn' } as const

export class PeerFiles {
  readonly #parts: PeerFilesParts
  #current: FoundFiles

  /** Throws if a file cannot be used. */
  constructor(parts: PeerFilesParts) {
    this.#parts = parts
    this.#current = read(parts.config)
  }

  /** The certificate for other servers. Undefined: none. */
  get proxyCertificate(): FoundFiles['proxyCertificate'] {
    return this.#current.proxyCertificate
  }

  /** The authority for the certificates of other replicas. Undefined: the operator names none. */
  get peerAuthority(): string | undefined {
    return this.#current.peerAuthority
  }

  /** The certificate for kubelets, and the authority for the certificates of kubelets. */
  get kubelets(): KubeletFiles {
    return this.#current.kubelets
  }

  /** Reads the files again when they change. Resolves when the signal fires, or at once if there are no files. */
  async run(signal: AbortSignal): Promise<void> {
    const { config, reloads, log } = this.#parts
    const { proxyCertificate: pair, cluster } = config
    const { certificate: ofKubelets, caFile } = cluster.kubelets
    const pairs = [pair, ofKubelets].flatMap((one) => [one?.certificateFile, one?.keyFile])
    const named = [...pairs, cluster.peers.caFile, caFile]
    const files = named.filter((file) => file !== undefined)
    if (files.length === 0) return
    const use = (found: FoundFiles): void => void (this.#current = found)
    const content = { files, current: this.#current, read: () => read(config), use, reloads, log }
    await followContent({ ...RELOAD, ...content }, signal)
  }
}

function read(config: Config): FoundFiles {
  return {
    proxyCertificate: readProxyCertificate(config),
    peerAuthority: readPeerAuthority(config),
    kubelets: readKubeletFiles(config),
  }
}
