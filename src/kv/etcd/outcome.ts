// Finds the outcome of a commit whose answer was lost, when no copy of the commit can succeed any more. The *first* event of a key after
// its expected revision shows the next write. If it is a put of our exact bytes, the write was ours. (Two writers with the same bytes at
// the same revision cannot be told apart, and get the same result, unless the values are increments.) If it is another put, our commit lost
// and had no effect. If our commit was a delete and the event is a delete, it may be the delete of any client. The outcome is `unknown`
// then: otherwise two clients could each believe that they alone deleted the key. For a commit of several keys, this file looks for one
// put. The other keys must have changed in the same revision.
import {
  ABSENT,
  type Commit,
  isAsExpected,
  type KeyValue,
  type KvEvent,
  type Put,
  type Removal,
  type Revision,
} from '../kv.ts'
import { RANGE, type RequestOp, TXN, type TxnResponse } from '../gen/rpc.ts'
import type { Given } from '../rpc.ts'
import type { Call, Cluster } from './cluster.ts'
import { toKeyValue } from './key-value.ts'
import { history, type WatchTarget } from './watch.ts'

/** Thrown if a write may have been carried out, and its outcome cannot be found out. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}

interface LookUp extends Call {
  /** No copy of the commit happens after this revision. */
  readonly upTo: Revision
  /** A revision from before the commit was first sent. The search begins after it for a key that was expected to be absent. */
  readonly since: Revision
  /** A key that sorts before all other keys. If etcd's progress cannot be trusted, a change of this key marks `upTo`. */
  readonly mark?: string
}

/** The revision of the commit. Undefined: the commit did not happen. Throws `UnknownOutcome`. */
export async function revisionOf(cluster: Cluster, commit: Commit, how: LookUp): Promise<Revision | undefined> {
  const { key, value } = witnessOf(commit)
  const expected = expectedOf(commit, key)
  const after = expected === ABSENT ? how.since : expected
  const { mark } = how
  const isMarked = mark !== undefined && !cluster.answersProgressRight
  const target: WatchTarget = isMarked ? { key: mark, rangeEnd: `${key}\0`, after } : { key, after }
  for await (const event of history(cluster, target, how)) {
    if (event.key !== key) continue
    if (event.kind === 'delete' && value === undefined)
      throw new UnknownOutcome('the key was deleted, by us or by another client')
    const isOurs = isPutOf(event, value, expected) && (await isWhole(cluster, commit, event.revision, how))
    if (isOurs && commit.isIncrement === true) {
      throw new UnknownOutcome('the value was written, by us or by another client')
    }
    if (isOurs) return event.revision
    // Other clients may have created and deleted the absent key before our commit.
    if (expected !== ABSENT) return undefined
  }
  return undefined
}

/** The revision of the commit, if its written keys are now as it writes them. Undefined: a key is different. */
export async function revisionOfState(cluster: Cluster, commit: Commit, call: Call): Promise<Revision | undefined> {
  const found = await read(cluster, commit.writes, undefined, call)
  const revision = found.find((item) => item !== undefined)?.revision
  const isOurs = commit.writes.every(({ key, value }, at) => {
    const item = found[at]
    if (value === undefined || item === undefined) return item?.value === value
    return item.revision === revision && revision !== expectedOf(commit, key) && item.value.equals(value)
  })
  return isOurs ? revision : undefined
}

/** The first key of a lost commit that is not as expected. Undefined: all keys are as expected. */
export function lostKey({ expected }: Commit, { responses }: TxnResponse): Lost | undefined {
  for (const [at, expectation] of expected.entries()) {
    const found = keyValueIn(responses[at])
    if (!isAsExpected(expectation, found?.revision ?? ABSENT)) return { key: expectation.key, found }
  }
  return undefined
}

/**
 * Whether a key that the commit writes is still at its expected revision. Then no copy of the commit was carried out. The commit must not
 * expect a key to be absent.
 */
export function isUntouched({ expected, writes }: Commit, { responses }: TxnResponse): boolean {
  const written = new Set(writes.map(({ key }) => key))
  return expected.some(({ key, revision }, at) => written.has(key) && keyValueIn(responses[at])?.revision === revision)
}

function keyValueIn(response: TxnResponse['responses'][number] | undefined): KeyValue | undefined {
  return toKeyValue(response?.range?.kvs[0])
}

interface Lost {
  readonly key: string
  /** The item of the key, without its value if several keys were expected. */
  readonly found: KeyValue | undefined
}

export async function currentOf(
  cluster: Cluster,
  { expected }: Commit,
  lost: Lost | undefined,
  call: Call,
): Promise<KeyValue | undefined> {
  if (expected.length === 1 || lost?.found === undefined) return lost?.found
  return toKeyValue((await cluster.call(RANGE, { key: lost.key }, call)).kvs[0])
}

function isPutOf(event: KvEvent, value: Buffer | undefined, expected: Revision): boolean {
  if (event.kind !== 'put' || value?.equals(event.value) !== true) return false
  return expected !== ABSENT || event.revision === event.createRevision
}

/** Whether all writes of the commit happened in this revision. */
async function isWhole(cluster: Cluster, commit: Commit, revision: Revision, call: Call): Promise<boolean> {
  const { writes } = commit
  if (writes.length === 1) return true
  const [now, before] = await Promise.all([
    read(cluster, writes, revision, call),
    read(cluster, writes, revision - 1, call),
  ])
  return writes.every(({ key, value }, at) => {
    if ((before[at]?.revision ?? ABSENT) !== expectedOf(commit, key)) return false
    if (value === undefined) return now[at] === undefined
    return now[at]?.revision === revision && now[at].value.equals(value)
  })
}

async function read(
  cluster: Cluster,
  writes: Commit['writes'],
  revision: Revision | undefined,
  call: Call,
): Promise<readonly (KeyValue | undefined)[]> {
  const success = writes.map(({ key }): Given<RequestOp> => ({ range: { key, revision } }))
  const { responses } = await cluster.call(TXN, { success }, call)
  return responses.map(keyValueIn)
}

/** The write to look for. A put is preferred, because its bytes distinguish it from the puts of other clients. */
function witnessOf({ expected, writes }: Commit): Put | Removal {
  const absent = new Set(expected.flatMap(({ key, revision }) => (revision === ABSENT ? [key] : [])))
  return writes.find(({ value }) => value !== undefined) ?? writes.find(({ key }) => !absent.has(key))!
}

function expectedOf({ expected }: Commit, key: string): Revision {
  return expected.find((one) => one.key === key)!.revision!
}
