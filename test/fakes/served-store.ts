// The embedded engines behind etcd's API, on a free port.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import { serveEtcd } from '../../src/kv/serve/serve.ts'
import type { Clock } from '../../src/lib/clock.ts'
import type { TransactionalKv } from '../../src/kv/transactional.ts'

export interface ServedStore extends AsyncDisposable {
  readonly endpoint: string
  readonly kv: TransactionalKv
}

export type StoreEngine = 'in memory' | 'embedded'

export async function serveStore(engine: StoreEngine, clock?: Clock): Promise<ServedStore> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quarterdeck-store-'))
  const kv = engine === 'in memory' ? openMemory() : await openEmbedded({ dataDir }, new AbortController().signal)
  const served = await serveEtcd({
    kv,
    address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    onFault: (error) => console.error(error),
    ...(clock === undefined ? {} : { clock }),
  })
  return {
    endpoint: served.url,
    kv,
    [Symbol.asyncDispose]: async () => {
      await served.close()
      await kv.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
