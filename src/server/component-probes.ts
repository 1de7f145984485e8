// The probes of component statuses: the storage, and a scheduler and a controller manager on this machine.
import type { ComponentProbe } from '../handlers/resource-parts.ts'
import type { Kv } from '../kv/kv.ts'
import { anySignal } from '../lib/light-signal.ts'

/** Where the reference's components answer on their own machine. */
const LOCAL = { 'controller-manager': 10_257, scheduler: 10_259 } as const
const PATIENCE_MS = 5_000
const LONGEST_ANSWER = 1_024

/** `stores`: how many servers the storage has. */
export function componentProbes(kv: Kv, stores: number): readonly ComponentProbe[] {
  const check = async (signal: AbortSignal): Promise<void> => {
    await kv.checkHealth(anySignal([signal, AbortSignal.timeout(PATIENCE_MS)]))
  }
  return [
    ...Object.entries(LOCAL).map(([name, port]) => ({ name, check: (signal: AbortSignal) => askLocal(port, signal) })),
    ...Array.from({ length: stores }, (_, i) => ({ name: `etcd-${i}`, check })),
  ]
}

/** Who they are is not looked at: they have certificates of their own making. */
async function askLocal(port: number, signal: AbortSignal): Promise<void> {
  const { get } = await import('node:https')
  const place = `127.0.0.1:${port}`
  const patience = anySignal([signal, AbortSignal.timeout(PATIENCE_MS)])
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`Get "https://${place}/healthz": ${why}`))
    const options = {
      host: '127.0.0.1',
      port,
      path: '/healthz',
      rejectUnauthorized: false,
      agent: false,
      signal: patience,
    }
    get(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        if (text.length < LONGEST_ANSWER) text += piece
      })
      response.on('error', ({ message }) => fail(message))
      response.on('end', () => {
        if (response.statusCode === 200) resolve()
        else fail(`unhealthy http status code: ${response.statusCode} body: ${text}`)
      })
    }).on('error', (error: NodeJS.ErrnoException) => {
      fail(error.code === 'ECONNREFUSED' ? `dial tcp ${place}: connect: connection refused` : error.message)
    })
  })
}
