// Commits changes of several objects in one revision, or none of them.
import type { WriteCondition } from '../api/write-condition.ts'
import { encodeStored } from '../codec/stored-json.ts'
import { ABSENT, type Commit, type Put, type Removal } from '../kv/kv.ts'
import { type Operation, translate } from './errors.ts'
import { keyInType } from './keys.ts'
import { expectationOf, fullKey, type KvObjects } from './kv-objects.ts'
import { EVERY_TYPE } from './measures.ts'
import type { ObjectKey, PutOutcome, StoredItem, WriteResult } from './store.ts'
import { atRevision } from './stored-object.ts'
import { WrittenObject } from './written-object.ts'

export interface ObjectChange {
  /** Each object occurs once. */
  readonly key: ObjectKey
  /** The object that must be stored now. Undefined: no object may be stored. */
  readonly before: StoredItem | undefined
  /** Absent: the object is only compared. */
  readonly outcome?: PutOutcome | { readonly kind: 'remove' }
}

export type CommitResult =
  | { readonly ok: true; readonly revision: number; readonly written: readonly Written[] }
  /** Another write won, and nothing was written. */
  | { readonly ok: false; readonly revision: number }

export interface Written {
  readonly key: ObjectKey
  readonly result: WriteResult
}

export async function commitObjects(
  objects: KvObjects,
  changes: readonly ObjectChange[],
  signal: AbortSignal,
): Promise<CommitResult> {
  const { kv, measures } = objects
  const verb: Operation['verb'] = 'update'
  try {
    const commit = await commitOf(objects, changes)
    const result = await measures.time(verb, EVERY_TYPE, () => kv.commit(commit, signal))
    if (!result.ok) return { ok: false, revision: result.revision }
    const { revision } = result
    const written = changes.flatMap((change): readonly Written[] => {
      const { key, before, outcome } = change
      if (outcome?.kind === 'put') {
        const object = new WrittenObject(key, revision, outcome.object, bytesOf(key, outcome))
        return [{ key, result: { kind: 'put', object, created: before === undefined } }]
      }
      if (outcome === undefined || before === undefined) return []
      const object = before.kind === 'object' ? atRevision(before, revision) : { ...before, revision }
      return [{ key, result: { kind: 'removed', object } }]
    })
    return { ok: true, revision, written }
  } catch (error) {
    throw translate(error, { verb, resource: { group: '', resource: 'objects' } })
  }
}

async function commitOf(objects: KvObjects, changes: readonly ObjectChange[]): Promise<Commit> {
  const expected: Commit['expected'][number][] = []
  const writes: (Put | Removal)[] = []
  const conditions = new Map<string, WriteCondition>()
  for (const { key, before, outcome } of changes) {
    const kvKey = fullKey(objects, key.resource, keyInType(key) ?? '')
    expected.push({ key: kvKey, revision: before?.revision ?? ABSENT })
    if (outcome?.kind === 'put') {
      const value = await objects.transformer.toStorage(bytesOf(key, outcome), kvKey)
      writes.push({ key: kvKey, value, ttlSeconds: outcome.ttlSeconds })
      for (const condition of outcome.onlyIf ?? []) {
        const strictest = conditions.get(condition.key)
        if (strictest === undefined || condition.notAfter < strictest.notAfter) conditions.set(condition.key, condition)
      }
    } else if (outcome !== undefined) writes.push({ key: kvKey })
  }
  for (const condition of conditions.values()) expected.push(expectationOf(objects, condition))
  return { expected, writes }
}

function bytesOf({ resource }: ObjectKey, outcome: PutOutcome): Buffer {
  return outcome.bytes ?? encodeStored(outcome.object, resource.encode)
}
