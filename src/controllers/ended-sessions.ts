// The sessions of the console that were ended by a logout. Each user has one record, which expires with the last session in it. Every
// replica reads the records from its watch cache.
import { isMap, type ValueMap } from '../api/value.ts'
import type { Resource } from '../registry/registry.ts'
import type { Decide, ObjectKey, StoredItem } from '../store/store.ts'
import type { ControllerParts } from './controllers.ts'

export const ENDED_SESSIONS = Object.freeze({
  group: '',
  resource: 'endedconsolesessions',
  storagePrefix: 'quarterdeck/endedconsolesessions',
  namespaced: false,
  selectableFields: [],
} satisfies Resource['stored'])

/** When a record gets more sessions than this, it ends every session that the user began before the newest of them. */
const MOST_SESSIONS = 100

interface EndedSession {
  /** The name of the record of the session's user. */
  readonly owner: string
  readonly id: string
  /** The time when the session would end by itself, in milliseconds since 1970. */
  readonly until: number
}

interface EndedRecord {
  /** The times when the sessions would have ended by themselves, by id. */
  readonly sessions: ValueMap
  /** All sessions that would end by themselves up to this time are ended. */
  readonly allUntil: number
}

export async function isEndedSession(
  { registry }: ControllerParts,
  { owner, id, until }: EndedSession,
  signal: AbortSignal,
): Promise<boolean> {
  const { item } = await registry.store.get(keyOf(owner), { kind: 'any' }, signal)
  const { sessions, allUntil } = recordIn(item, until)
  return until <= allUntil || Object.hasOwn(sessions, id)
}

/** Resolves when the record is stored and in the watch cache. Resolves to false if the session had been ended before. */
export async function endSession(
  { registry: { store }, clock }: ControllerParts,
  { owner: name, id, until }: EndedSession,
  signal: AbortSignal,
): Promise<boolean> {
  const key = keyOf(name)
  let wasEnded = false
  const decide: Decide = (current) => {
    const now = clock.now()
    const { sessions, allUntil } = recordIn(current, until)
    wasEnded = until <= allUntil || Object.hasOwn(sessions, id)
    const all = Object.entries({ ...sessions, [id]: until }) as [string, number][]
    const live = all.filter(([, end]) => end > Math.max(now, allUntil))
    const last = Math.max(allUntil, ...live.map(([, end]) => end))
    const isFull = live.length > MOST_SESSIONS
    const record = isFull ? { sessions: {}, allUntil: last } : { sessions: Object.fromEntries(live), allUntil }
    const object = { kind: 'EndedConsoleSessions', apiVersion: 'v1', metadata: { name }, ...record }
    return { kind: 'put', object, ttlSeconds: Math.max(1, Math.ceil((last - now) / 1000)) }
  }
  const written = await store.write(key, decide, signal)
  await store.get(key, { kind: 'notOlderThan', revision: written.object?.revision ?? 0 }, signal)
  return !wasEnded
}

function keyOf(name: string): ObjectKey {
  return { resource: ENDED_SESSIONS, namespace: '', name }
}

/** The content of a record. If it cannot be read, the session counts as ended. */
function recordIn(item: StoredItem | undefined, until: number): EndedRecord {
  if (item?.kind !== 'object') return { sessions: {}, allUntil: item === undefined ? 0 : until }
  const { sessions, allUntil } = item.object()
  return { sessions: isMap(sessions) ? sessions : {}, allUntil: typeof allUntil === 'number' ? allUntil : 0 }
}
