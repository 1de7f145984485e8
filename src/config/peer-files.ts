// The certificates that this server shows to other replicas, to aggregated servers and to kubelets, and the authorities that it trusts for them.
// The files are read again when they change: tools that issue certificates for a few weeks replace them while the server runs.
import { reloadFiles } from './reloaded-files.ts'
import type { ReloadRequests } from './reload-requests.ts'
import { reasonOf } from './start-error.ts'
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

/** The interval of the periodic checks. */
const LOOK_EVERY_MS = 60_000

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

  /** The certificate for kubelets, and the authority for theirs. */
  get kubelets(): KubeletFiles {
    return this.#current.kubelets
  }

  /** Resolves when the signal fires, or at once if there is nothing to read. */
  async run(signal: AbortSignal): Promise<void> {
    const { config, reloads, log } = this.#parts
    const { proxyCertificate: pair, cluster } = config
    const { certificate: ofKubelets, caFile } = cluster.kubelets
    const pairs = [pair, ofKubelets].flatMap((one) => [one?.certificateFile, one?.keyFile])
    const named = [...pairs, cluster.peers.caFile, caFile]
    const files = named.filter((file) => file !== undefined)
    if (files.length === 0) return
    const look = (): void => {
      const found = read(config)
      if (JSON.stringify(found) === JSON.stringify(this.#current)) return
      this.#current = found
      log.info({}, 'reloaded the certificate for other servers')
    }
    const onProblem = (error: unknown): void =>
      log.warn(
        { reason: reasonOf(error) },
        'could not reload the certificate for other servers; keeping the previous one',
      )
    await reloadFiles({ files, everyMs: LOOK_EVERY_MS, reloads, look, onProblem }, signal)
  }
}

function read(config: Config): FoundFiles {
  return {
    proxyCertificate: readProxyCertificate(config),
    peerAuthority: readPeerAuthority(config),
    kubelets: readKubeletFiles(config),
  }
}
