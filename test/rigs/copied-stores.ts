// The stores that backups are taken of, each in use: by a process of its own and by a client. How commands are told of them differs.
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import type { Kv } from '../../src/kv/kv.ts'
import { startEtcd } from './etcd-server.ts'
import { StoreProcess } from './store-process.ts'
import { tempFolder } from './temp-folder.ts'

export interface CopiedStore extends AsyncDisposable {
  readonly kv: Kv
  readonly endpoint: string
  /** For a command that copies it. */
  readonly flags: readonly string[]
}

export const PREFIX = '/registry/'

/** An etcd, our store behind etcd's API, and the folder of that store while it is served. */
export const COPIED_STORES: Readonly<Record<string, () => Promise<CopiedStore>>> = {
  etcd: async () => {
    const server = await startEtcd()
    return inUse(server, server.endpoint, [`--etcd-servers=${server.endpoint}`])
  },
  'a served store': async () => {
    const store = await StoreProcess.start()
    return inUse(store, store.endpoint, [`--etcd-servers=${store.endpoint}`])
  },
  'the folder of a store': async () => {
    const folder = await tempFolder()
    const store = await StoreProcess.start([`--data-dir=${folder}`])
    return inUse(store, store.endpoint, [`--data-dir=${folder}`])
  },
}

async function inUse(process: AsyncDisposable, endpoint: string, flags: readonly string[]): Promise<CopiedStore> {
  const kv = await openEtcd({ endpoints: [endpoint], prefix: PREFIX }, new AbortController().signal)
  return {
    kv,
    endpoint,
    flags,
    async [Symbol.asyncDispose]() {
      await kv.close()
      await process[Symbol.asyncDispose]()
    },
  }
}
