// Everything that follows types sees those that are defined while it runs: on every store, and on the replica that takes the
// controllers over.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { define, definedKind, undefine } from '../corpora/defined-kinds.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'
import { checkForgotten, FOLLOWER_ROWS, type FollowerRow, type Given } from '../corpora/type-follower-rows.ts'
import { openWebhookServer, type WebhookServer } from '../fakes/webhook-server.ts'

const rows = FOLLOWER_ROWS.map((row, index) => ({ ...row, kind: definedKind(`row-${index}.example.com`) }))
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/quarterdeck-controllers'

/** A server, ready for the rows; those that are defined already need not be. */
interface World {
  readonly server: OpenServer
  readonly isDefined: boolean
}

type OpenWorld = (stack: AsyncDisposableStack, begin: (server: OpenServer) => Promise<void>) => Promise<World>

async function inMemory(stack: AsyncDisposableStack): Promise<World> {
  return { server: stack.use(await openServer()), isDefined: false }
}

async function embedded(stack: AsyncDisposableStack): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-types-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const server = stack.use(await openServer(['--in-memory=false', '--data-dir', folder]))
  return { server, isDefined: false }
}

async function holder(server: OpenServer): Promise<string> {
  const lease = await server.request(LEASE)
  return lease.status === 200 ? ((lease.json() as { spec: { holderIdentity?: string } }).spec.holderIdentity ?? '') : ''
}

/** The replica that the rows are played on has taken the controllers over from another, which may have seen the definitions. */
function takenOver(isDefined: boolean): OpenWorld {
  return async (stack, begin) => {
    const etcd = stack.use(await startEtcd())
    const open = (): Promise<OpenServer> => openServer(['--in-memory=false', '--etcd-servers', etcd.endpoint])
    const first = await open()
    await expect.poll(() => holder(first)).not.toBe('')
    const before = await holder(first)
    const server = stack.use(await open())
    if (isDefined) await begin(first)
    await first[Symbol.asyncDispose]()
    await expect.poll(() => holder(server)).not.toBe(before)
    await expect.poll(() => holder(server)).not.toBe('')
    return { server, isDefined }
  }
}

const WORLDS: readonly [string, OpenWorld][] = [
  ['in memory', inMemory],
  ['on the embedded store', embedded],
  ['on etcd, after a take-over', takenOver(false)],
  ['on etcd, defined before a take-over', takenOver(true)],
]

describe.each(WORLDS)('a type that is defined while the server runs, %s', (_name, open) => {
  const stack = new AsyncDisposableStack()
  let world: World
  let hooks: WebhookServer

  async function begin(server: OpenServer, { kind, prepare }: FollowerRow & { kind: Given['kind'] }): Promise<void> {
    await prepare?.({ server, hooks, kind })
    await define(server, kind)
  }

  afterAll(() => stack.disposeAsync())

  it('comes to a server that is up', async () => {
    hooks = stack.use(await openWebhookServer())
    world = await open(stack, async (server) => {
      for (const row of rows) await begin(server, row)
    })
  })

  it.each(rows.map((row) => [row.name, row] as const))('is seen by %s', async (_row, row) => {
    if (!world.isDefined) await begin(world.server, row)
    await row.check({ server: world.server, hooks, kind: row.kind })
  })

  it('is forgotten when it is gone', async () => {
    const kinds = rows.map(({ kind }) => kind)
    await Promise.all(kinds.map((kind) => undefine(world.server, kind)))
    await checkForgotten(world.server, kinds)
  })
})
