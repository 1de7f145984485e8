// The space of a real etcd: what its members say of it, that one that ran full is healed, and that a cluster is never held up by
// more than one member.
import { afterEach, expect, it } from 'vitest'
import { type Etcd, openEtcd } from '../../src/kv/etcd/etcd.ts'
import { type Revision, putKey } from '../../src/kv/kv.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Log, LogFields } from '../../src/lib/log.ts'
import { SpaceKeeper } from '../../src/store/space-keeper.ts'
import { isFragmented, nextToDefragment } from '../../src/store/space-recovery.ts'
import type { EtcdLine } from '../rigs/etcd-binary.ts'
import { type EtcdServer, startEtcd, startEtcdCluster } from '../rigs/etcd-server.ts'

const PREFIX = '/registry/'
const QUOTA_BYTES = 12_000_000
const signal = new AbortController().signal
const opened: AsyncDisposable[] = []

afterEach(async () => {
  for (const resource of opened.splice(0).toReversed()) await resource[Symbol.asyncDispose]()
})

async function open(servers: readonly EtcdServer[]): Promise<Etcd> {
  opened.push(...servers)
  const kv = await openEtcd({ endpoints: servers.map(({ endpoint }) => endpoint), prefix: PREFIX }, signal)
  opened.push({ [Symbol.asyncDispose]: () => kv.close() })
  return kv
}

/** Writes one key again and again, so that all but the last is history; the revision of the last write. */
async function fill(kv: Etcd, times: number): Promise<Revision> {
  let expected = 0
  for (let i = 0; i < times; i++) {
    const value = Buffer.alloc(1_000_000, String(i))
    const result = await putKey(kv, { key: `${PREFIX}large`, value, expected }, signal)
    if (result.ok) expected = result.revision
  }
  return expected
}

function keeperOf(kv: Etcd): { readonly keeper: SpaceKeeper; readonly lines: string[] } {
  const lines: string[] = []
  const tell = (_: LogFields, message: string): void => void lines.push(message)
  const log: Log = { debug: tell, info: tell, warn: tell, error: tell }
  const bounds = { freeShare: 0.5, minBytes: 1_000_000 }
  return {
    keeper: new SpaceKeeper({ kv, maintenance: kv.maintenance, bounds, clock: systemClock, log }),
    lines,
  }
}

it.each<EtcdLine>(['newest', 'oldest'])('an etcd that ran full is healed, %s version', async (line) => {
  const kv = await open([await startEtcd({ line, flags: [`--quota-backend-bytes=${QUOTA_BYTES}`] })])
  const { keeper, lines } = keeperOf(kv)
  await keeper.look(signal)
  expect(lines).toEqual([])
  await expect(fill(kv, 30)).rejects.toMatchObject({ code: 'full' })
  await keeper.look(signal)
  const told = [
    'storage is out of space; writes are refused',
    'etcd was compacted and defragmented, and its alarm disarmed',
  ]
  expect(lines.slice(0, 2)).toEqual(told)
  const size = await kv.size(signal)
  expect(size?.bytes).toBeLessThan(QUOTA_BYTES / 2)
  await kv.checkHealth(signal)
  const { item } = await kv.get(`${PREFIX}large`, {}, signal)
  const value = Buffer.from('small')
  expect(await putKey(kv, { key: `${PREFIX}large`, value, expected: item!.revision }, signal)).toMatchObject({
    ok: true,
  })
})

it('the quota is told where etcd tells it, and members by themselves', async () => {
  const kv = await open([await startEtcd({ flags: [`--quota-backend-bytes=${QUOTA_BYTES}`] })])
  const { answering, silent } = await kv.maintenance.members(signal)
  expect(silent).toEqual([])
  expect(answering).toMatchObject([{ isLeader: true, problems: [], size: { limit: { quotaBytes: QUOTA_BYTES } } }])
  const [member] = answering
  expect(member!.size.limit!.availableBytes).toBe(QUOTA_BYTES - member!.size.bytes)
})

it('of a cluster members are defragmented in turn, the leader last, and none while another does not answer', async () => {
  const servers = await startEtcdCluster()
  const kv = await open(servers)
  const newest = await fill(kv, 6)
  await kv.maintenance.forgetHistory(signal)
  const bounds = { freeShare: 0.5, minBytes: 1_000_000 }
  const members = () => kv.maintenance.members(signal)
  // Followers forget a moment later than the member that was asked, and see what that freed with the writes that come then.
  let expected = newest
  const areMostlyFree = async (): Promise<boolean> => {
    const result = await putKey(kv, { key: `${PREFIX}large`, value: Buffer.from('small'), expected }, signal)
    expected = result.revision
    return (await members()).answering.every(({ size }) => size.bytes - size.inUseBytes > size.bytes / 2)
  }
  await expect.poll(areMostlyFree, { interval: 200 }).toBe(true)

  const [frozen] = servers
  await frozen!.freeze()
  expect(nextToDefragment(await members(), (member) => isFragmented(member, bounds))).toEqual({
    kind: 'unwell',
    problem: `${frozen!.endpoint} does not answer`,
  })
  frozen!.thaw()
  await expect.poll(async () => (await members()).silent).toEqual([])

  const { keeper, lines } = keeperOf(kv)
  const leader = (await members()).answering.find(({ isLeader }) => isLeader)
  const large = async (): Promise<readonly string[]> =>
    (await members()).answering.filter(({ size }) => size.bytes > 5_000_000).map(({ url }) => url)
  const left: (readonly string[])[] = []
  for (let turn = 0; turn < 3; turn++) {
    await keeper.look(signal)
    left.push(await large())
  }
  expect(left.map(({ length }) => length)).toEqual([2, 1, 0])
  expect(left[1]).toEqual([leader?.url])
  expect(lines).toEqual(Array.from({ length: 3 }, () => 'defragmented a member of etcd'))
  expect((await kv.get(`${PREFIX}large`, {}, signal)).item?.revision).toBe(expected)
})
