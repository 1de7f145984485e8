// What a server has in memory, in megabytes.
import { readFileSync } from 'node:fs'
import type { ApiClient } from './api-client.ts'
import type { ServerProcess } from './server-process.ts'

const MB = 1e6

/** All that the process has, as the kernel counts it. */
export function residentMegabytes(server: ServerProcess): number {
  return ofKernel(server, 'VmRSS')
}

export interface MemoryInUse {
  /** The heap and buffers after a collection. */
  readonly megabytes: number
  /** What is mapped of files: of the program, and up to a bound of the store. */
  readonly mapped: number
  /** Of them, what a watch cache remembers of changes and states. */
  readonly past: number
}

/** What is in use, however much of it V8 has kept in case it is needed again. The server has to run with `--profiling`. */
export async function memoryInUse(server: ServerProcess, client: ApiClient): Promise<MemoryInUse> {
  // A profile is taken after a collection; where there are workers, each has one.
  const workers = new Set(
    (await client.send('GET', '/metrics')).text.match(/(?<=^nodejs_heap_size_used_bytes\{worker=")\d+/gm),
  )
  const places = workers.size === 0 ? [''] : Array.from(workers, (name) => `&worker=${name}`)
  for (const place of places) await client.send('GET', `/debug/pprof/heap?seconds=0.01${place}`)
  const { text } = await client.send('GET', '/metrics')
  const of = (name: string): number => {
    const series = text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))
    return Array.from(series, ([, value]) => Number(value)).reduce((sum, value) => sum + value) / MB
  }
  return {
    megabytes: of('nodejs_heap_size_used_bytes') + of('nodejs_external_memory_bytes'),
    mapped: ofKernel(server, 'RssFile'),
    past: of('quarterdeck_watch_cache_past_bytes') / places.length,
  }
}

function ofKernel({ child }: ServerProcess, what: string): number {
  const kibibytes = new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
  return (Number(kibibytes) * 1024) / MB
}
