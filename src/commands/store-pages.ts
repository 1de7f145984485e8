// The pages of the management address of `quarterdeck store serve`. The check of the listener ends with the TLS handshake, because a store
// has no user who may only send an empty request. The check of the storage reads from the store.
import { once } from 'node:events'
import { connect } from 'node:net'
import { healthRoutes } from '../handlers/health.ts'
import { showMetrics } from '../handlers/metrics.ts'
import { pprofRoutes } from '../handlers/pprof.ts'
import { showVersion } from '../handlers/version.ts'
import type { Kv } from '../kv/kv.ts'
import type { Log } from '../lib/log.ts'
import type { AnswerPage } from '../telemetry/management/management.ts'
import { exposition } from '../telemetry/exposition.ts'
import { PROCESS_FIGURES } from '../telemetry/process-figures.ts'
import { openProfiler } from '../telemetry/profiler.ts'
import { storageFamilies } from '../telemetry/storage-metrics.ts'
import { asOwnCertificate } from '../telemetry/client-path.ts'
import { answerPages } from '../telemetry/management/answer-pages.ts'
import { checkUsable } from '../server/storage.ts'
import { versionInfo } from '../telemetry/version.ts'

export interface StorePagesParts {
  readonly kv: Kv
  /** The address for clients. */
  readonly url: string
  /** The current certificate of the address, in PEM. Undefined: the address has no TLS. */
  readonly certificate: () => string | undefined
  readonly isStopping: () => boolean
  readonly log: Log
}

const WITHIN_MS = 2_000

export function storePages({ kv, url, certificate, isStopping, log }: StorePagesParts): AnswerPage {
  const ping = { name: 'ping', check: () => {} }
  const storage = { name: 'storage', check: () => checkUsable(kv, AbortSignal.timeout(WITHIN_MS)) }
  const clientPath = { name: 'client-path', check: () => reach(url, certificate()) }
  const shutdown = {
    name: 'shutdown',
    check: () => {
      if (isStopping()) throw new Error('process is shutting down')
    },
  }
  const checks = {
    healthz: [ping, storage],
    livez: [ping, storage],
    readyz: [ping, storage, clientPath, shutdown],
  }
  const families = [...PROCESS_FIGURES, ...storageFamilies((signal) => kv.size(signal))]
  const metrics = { render: () => exposition(families), reset: () => {} }
  return answerPages([
    ...healthRoutes({ checks, inGracePeriod: () => false, log }),
    { path: '/metrics', handler: showMetrics(metrics) },
    { path: '/version', handler: showVersion(versionInfo()) },
    ...pprofRoutes({ profiler: openProfiler(), setVerbosity: () => Promise.resolve() }),
  ])
}

/** Connects like a client. With a certificate, it uses TLS and expects a server with the key of this certificate. */
async function reach(url: string, certificate: string | undefined): Promise<void> {
  const { protocol, hostname, port, pathname } = new URL(url)
  const place =
    protocol === 'unix:' ? { path: pathname } : { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
  const tls = { ...asOwnCertificate(certificate), ALPNProtocols: ['h2'] }
  const socket =
    certificate === undefined ? connect(place) : process.getBuiltinModule('node:tls').connect({ ...place, ...tls })
  try {
    const signal = AbortSignal.timeout(WITHIN_MS)
    await once(socket, certificate === undefined ? 'connect' : 'secureConnect', { signal })
  } finally {
    socket.destroy()
  }
}
