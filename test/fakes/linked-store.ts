// The embedded engines at the other end of a link, as a supervisor serves them to its workers.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import type { Kv } from '../../src/kv/kv.ts'
import { serveLink } from '../../src/kv/link/link-server.ts'
import type { StoreEngine } from './served-store.ts'

export interface LinkedStore extends AsyncDisposable {
  readonly path: string
  readonly kv: Kv
  /** Cuts all links. */
  readonly cut: () => Promise<void>
}

export async function linkStore(engine: StoreEngine): Promise<LinkedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-link-'))
  const kv =
    engine === 'in memory'
      ? openMemory()
      : await openEmbedded({ dataDir: join(folder, 'data') }, AbortSignal.timeout(60_000))
  const path = join(folder, 'store.sock')
  const served = await serveLink({
    kv,
    path,
    onFault: (error) => {
      throw error
    },
  })
  let closed: Promise<void> | undefined
  const cut = (): Promise<void> => (closed ??= served.close())
  return {
    path,
    kv,
    cut,
    [Symbol.asyncDispose]: async () => {
      await cut()
      await kv.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
