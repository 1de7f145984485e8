// The server that is fuzzed, in a process of its own: what ends that process was the server's fault, and its memory is not
// that of the one who asks. Run as a program it is that process.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type OpenServer, openServer, reachServer, type ServerAddress } from '../rigs/running-server.ts'
import { type Log, SILENT_LOG } from '../../src/lib/log.ts'

export interface FuzzedServer extends OpenServer {
  readonly isAlive: boolean
  /** What it logged as errors. */
  readonly faults: readonly string[]
  /** After a collection; the last known where it is gone. */
  megabytesInUse(): Promise<number>
}

type Told =
  | { readonly kind: 'listening'; readonly address: ServerAddress }
  | { readonly kind: 'fault'; readonly text: string }
  | { readonly kind: 'memory'; readonly megabytes: number }

export async function startFuzzedServer(tokenFile: string): Promise<FuzzedServer> {
  const child = fork(import.meta.filename, [tokenFile])
  const gone = once(child, 'exit')
  const faults: string[] = []
  const address = Promise.withResolvers<ServerAddress>()
  let isAlive = true
  let megabytes = 0
  const waiting: (() => void)[] = []
  const measured = (): void => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  child.on('message', (told: Told) => {
    if (told.kind === 'listening') address.resolve(told.address)
    else if (told.kind === 'fault') faults.push(told.text)
    else {
      megabytes = told.megabytes
      measured()
    }
  })
  child.on('exit', (code, signal) => {
    isAlive = false
    address.reject(new Error('the server did not start'))
    measured()
    if (code !== 0) faults.push(`the server ended with ${signal ?? code}`)
  })
  const stop = async (): Promise<void> => {
    if (isAlive) child.disconnect()
    await gone
  }
  const server = reachServer(await address.promise, stop)
  return {
    ...server,
    get isAlive() {
      return isAlive
    },
    faults,
    async megabytesInUse() {
      if (!isAlive) return megabytes
      child.send('memory')
      await new Promise<void>((resolve) => waiting.push(resolve))
      return megabytes
    },
  }
}

function megabytesInUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return Math.round((heapUsed + external) / 1e6)
}

if (import.meta.main) {
  const tell = (told: Told): void => void process.send?.(told)
  const log: Log = {
    ...SILENT_LOG,
    error: ({ err }, message) =>
      tell({ kind: 'fault', text: `${message}: ${err instanceof Error ? String(err.stack) : String(err)}` }),
  }
  const flags = ['--token-auth-file', process.argv[2] ?? '', '--feature-gates', 'CBORServingAndStorage=true']
  const server = await openServer(flags, log)
  const { url, authority, adminToken } = server
  process.on('message', () => tell({ kind: 'memory', megabytes: megabytesInUse() }))
  process.once('disconnect', () => void server[Symbol.asyncDispose]())
  tell({ kind: 'listening', address: { url, authority, adminToken } })
}
