// Opens the engine that the configuration names. What keeps it from opening is told in one line.
import type { Kv } from '../kv/kv.ts'
import type { StorageConfig } from './config.ts'
import { StartError } from './start-error.ts'

export async function openStorage(config: StorageConfig): Promise<Kv> {
  switch (config.kind) {
    case 'memory': {
      const { openMemory } = await import('../kv/embedded/memory.ts')
      return openMemory()
    }
    case 'embedded':
    case 'etcd':
      throw new StartError(`the ${config.kind} store is not there yet; use --in-memory`)
  }
}

/** For people: where the data is. */
export function describeStorage(config: StorageConfig): string {
  switch (config.kind) {
    case 'memory':
      return 'in memory only; it is gone when the server stops'
    case 'embedded':
      return config.directory
    case 'etcd':
      return `etcd at ${config.endpoints.join(', ')}`
  }
}
