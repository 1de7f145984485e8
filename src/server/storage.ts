// Opens the engine that the configuration names. What keeps it from opening is told in one line.
import { type Kv, KvError } from '../kv/kv.ts'
import type { StorageConfig } from './config.ts'
import { StartError } from './start-error.ts'

/** Throws a `StartError` where the engine says what is wrong. */
export async function openStorage(config: StorageConfig, signal: AbortSignal): Promise<Kv> {
  try {
    return await openEngine(config, signal)
  } catch (error) {
    throw error instanceof KvError ? new StartError(error.message, { cause: error }) : error
  }
}

async function openEngine(config: StorageConfig, signal: AbortSignal): Promise<Kv> {
  switch (config.kind) {
    case 'memory': {
      const { openMemory } = await import('../kv/embedded/memory.ts')
      return openMemory()
    }
    case 'embedded': {
      const { openEmbedded } = await import('../kv/embedded/embedded.ts')
      return openEmbedded({ dataDir: config.directory }, signal)
    }
    case 'etcd':
      throw new StartError('the etcd store is not there yet')
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
