// What the suite asks of etcd's members themselves, over etcd's own HTTP gateway.
import { setTimeout as delay } from 'node:timers/promises'
import type { EtcdServer } from '../../rigs/etcd-server.ts'

const LIMIT_MS = 20_000
/** A busy machine has etcd elect a leader now and then: what may be asked twice is asked again. */
const ATTEMPTS = 20
const PAUSE_MS = 200
const FILLER = '/filler/'
const FILLER_BYTES = 1_000_000
/** More than any quota of a test. */
const MOST_FILLERS = 200

async function post(member: EtcdServer, path: string, body: object, limitMs = LIMIT_MS): Promise<unknown> {
  const signal = AbortSignal.timeout(limitMs)
  const response = await fetch(`${member.endpoint}/v3/${path}`, { method: 'POST', body: JSON.stringify(body), signal })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

async function postAgain(member: EtcdServer, path: string, body: object): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await post(member, path, body)
    } catch (error) {
      if (attempt === ATTEMPTS || String(error).includes('compacted')) throw error
      await delay(PAUSE_MS)
    }
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** A linearizable read. */
export async function newestRevision(member: EtcdServer): Promise<number> {
  const { header } = (await postAgain(member, 'kv/range', { key: encode('/nothing') })) as {
    header: { revision: string }
  }
  return Number(header.revision)
}

/** A write that needs a leader and a majority. Throws where there is none in time. */
export async function putProbe(member: EtcdServer, limitMs: number): Promise<void> {
  await post(member, 'kv/put', { key: encode('/probe'), value: '' }, limitMs)
}

export async function leaderOf(members: readonly EtcdServer[]): Promise<EtcdServer> {
  for (const member of members) {
    const status = (await post(member, 'maintenance/status', {}).catch(() => undefined)) as
      | { leader: string; header: { member_id: string } }
      | undefined
    if (status?.leader === status?.header.member_id && status !== undefined) return member
  }
  return members[0]!
}

/** What was compacted by somebody else already is as good. */
export async function compact(member: EtcdServer, revision: number): Promise<void> {
  await postAgain(member, 'kv/compaction', { revision: String(revision), physical: true }).catch((error: unknown) => {
    if (!String(error).includes('compacted')) throw error
  })
}

/** Writes until etcd has no space left and raises its alarm, which it is to have a small quota for. */
export async function fillUp(member: EtcdServer): Promise<void> {
  const value = Buffer.alloc(FILLER_BYTES, 'x').toString('base64')
  for (let i = 0; i < MOST_FILLERS; i++) {
    const failure = await post(member, 'kv/put', { key: encode(`${FILLER}${i}`), value }).then(
      () => undefined,
      (error: unknown) => String(error),
    )
    if (failure?.includes('space exceeded')) return
    if (failure !== undefined) await delay(PAUSE_MS)
  }
  throw new Error('etcd takes more than its quota')
}

/** Removes the filling, gives the space back and ends the alarm. Of the history it forgets what is `recorded`. */
export async function makeRoom(members: readonly EtcdServer[], recorded: () => number): Promise<void> {
  const [first] = members
  const filling = { key: encode(FILLER), range_end: encode('/filler0') }
  const { header } = (await postAgain(first!, 'kv/deleterange', filling)) as { header: { revision: string } }
  // What was there before the deletion is only freed with the history up to it.
  while (recorded() < Number(header.revision)) await delay(PAUSE_MS / 10)
  await compact(first!, recorded())
  for (const member of members) await postAgain(member, 'maintenance/defragment', {})
  const answer = (await postAgain(first!, 'maintenance/alarm', { action: 'GET' })) as { alarms?: readonly object[] }
  for (const alarm of answer.alarms ?? []) {
    await postAgain(first!, 'maintenance/alarm', { action: 'DEACTIVATE', ...alarm })
  }
}
