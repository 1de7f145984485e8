import { describe, expect, it } from 'vitest'
import type { Draft } from '../../../../src/kv/embedded/draft.ts'
import type { KeyState, LogEntry, LogPlace } from '../../../../src/kv/embedded/records.ts'
import type { Change, TableWriter } from '../../../../src/kv/embedded/table-writer.ts'
import type { KeyRef } from '../../../../src/kv/embedded/tables.ts'
import { type CommitTables, WriteQueue } from '../../../../src/kv/embedded/write-queue.ts'
import { KvError, type Revision } from '../../../../src/kv/kv.ts'

/** Tables without a disk: what a commit does is kept, or refused, as the test says. */
class FakeTables implements CommitTables {
  readonly states = new Map<string, KeyState>()
  readonly entries = new Map<Revision, LogEntry>()
  /** The number of changes in each commit that was tried. */
  readonly tried: number[] = []
  refuse: (changes: readonly Change[]) => KvError | undefined = () => undefined

  stateOf(key: string): KeyState | undefined {
    return this.states.get(key)
  }

  entryOf({ revision }: LogPlace): LogEntry | undefined {
    return this.entries.get(revision)
  }

  *live(): Generator<KeyRef> {
    for (const [key, state] of this.states) yield { key: Buffer.from(key), state }
  }

  secondsOfLease(): undefined {
    return undefined
  }

  *keysOfLease(): Generator<string> {}

  commitInTurns(write: (writer: TableWriter) => Generator<void, void>): Promise<void> {
    return this.commit((writer) => write(writer).forEach(() => {}))
  }

  async commit(write: (writer: TableWriter) => void): Promise<void> {
    const changes: Change[] = []
    const ignored = (): void => undefined
    write({
      change: (change) => changes.push(change),
      forgetVersion: ignored,
      forgetDelete: ignored,
      forgetGarbage: ignored,
      lease: ignored,
      count: ignored,
    })
    this.tried.push(changes.length)
    await new Promise((resolve) => setImmediate(resolve))
    const refusal = this.refuse(changes)
    if (refusal !== undefined) throw refusal
    for (const { entry } of changes) {
      this.entries.set(entry.revision, entry)
      if (entry.value === undefined) this.states.delete(entry.key)
      else this.states.set(entry.key, entry)
    }
  }
}

function setUp(): { tables: FakeTables; queue: WriteQueue; published: Revision[] } {
  const tables = new FakeTables()
  const published: Revision[] = []
  const queue = new WriteQueue({
    tables,
    space: { refresh: async () => undefined },
    newest: 1,
    publish: (changes) => published.push(...changes.map(({ entry }) => entry.revision)),
  })
  return { tables, queue, published }
}

function run(queue: WriteQueue, decide: (draft: Draft) => void, freesSpace = false, bytes = 1): Promise<void> {
  return new Promise((resolve, reject) => {
    queue.add({ bytes, freesSpace, decide, done: resolve, fail: reject })
  })
}

const put =
  (key: string) =>
  (draft: Draft): void =>
    void draft.put({ key, value: Buffer.from('x'), deadlineMs: 0 })

const remove =
  (key: string) =>
  (draft: Draft): void =>
    void draft.remove(key)

const full = new KvError('full', 'no space')

describe('group commit', () => {
  it('writes that come together go into one commit, those that come meanwhile into the next', async () => {
    const { tables, queue, published } = setUp()
    const first = Promise.all(['a', 'b', 'c'].map((key) => run(queue, put(key))))
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.all([first, run(queue, put('d')), run(queue, put('e'))])
    expect(tables.tried).toEqual([3, 2])
    expect(published).toEqual([2, 3, 4, 5, 6])
    expect(queue.newest).toBe(6)
  })

  it('a group is closed at its bounds of number and bytes', async () => {
    const { tables, queue } = setUp()
    await Promise.all(Array.from({ length: 1200 }, (_, index) => run(queue, put(`k${index}`))))
    expect(tables.tried).toEqual([512, 512, 176])
    tables.tried.length = 0
    await Promise.all(Array.from({ length: 5 }, (_, index) => run(queue, put(`l${index}`), false, 3 * 1024 * 1024)))
    expect(tables.tried).toEqual([2, 2, 1])
  })

  it('what decides to change nothing needs no commit', async () => {
    const { tables, queue } = setUp()
    await run(queue, () => undefined)
    expect(tables.tried).toEqual([])
  })

  it('each sees what those before it in the group did', async () => {
    const { queue } = setUp()
    const seen: unknown[] = []
    const look = (draft: Draft): void =>
      void seen.push([draft.newest, draft.revisionOf('a'), draft.itemOf('a')?.revision])
    await Promise.all([put('a'), look, remove('a'), look, put('a'), look].map((decide) => run(queue, decide)))
    expect(seen).toEqual([
      [2, 2, 2],
      [3, 0, undefined],
      [4, 4, 4],
    ])
  })

  it('one that cannot be decided fails alone', async () => {
    const { tables, queue } = setUp()
    const outcomes = await Promise.allSettled([
      run(queue, put('a')),
      run(queue, () => {
        throw new Error('cannot')
      }),
      run(queue, put('b')),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(tables.states.size).toBe(2)
  })
})

describe('a commit that fails', () => {
  it('fails every write of it, publishes nothing, and its revisions are given anew', async () => {
    const { tables, queue, published } = setUp()
    tables.refuse = () => full
    const outcomes = await Promise.allSettled([run(queue, put('a')), run(queue, put('b'))])
    expect(outcomes).toEqual([
      { status: 'rejected', reason: full },
      { status: 'rejected', reason: full },
    ])
    expect([queue.newest, published, queue.failure]).toEqual([1, [], full])
    tables.refuse = () => undefined
    await run(queue, put('c'))
    expect([queue.newest, published, queue.failure]).toEqual([2, [2], undefined])
  })

  it('for want of space is tried again with what makes space alone, in ever smaller groups', async () => {
    const { tables, queue } = setUp()
    await Promise.all(Array.from({ length: 8 }, (_, index) => run(queue, put(`k${index}`))))
    tables.tried.length = 0
    tables.refuse = (changes) => (changes.length > 2 || changes.some(({ entry }) => entry.value) ? full : undefined)
    const outcomes = await Promise.allSettled([
      run(queue, put('new')),
      ...Array.from({ length: 8 }, (_, index) => run(queue, remove(`k${index}`), true)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', ...Array<string>(8).fill('fulfilled')])
    expect(tables.tried).toEqual([9, 8, 4, 2, 2, 4, 2, 2])
    expect(tables.states.size).toBe(0)
  })

  it('of which nobody knows whether it happened ends all writing', async () => {
    const { tables, queue } = setUp()
    tables.refuse = () => new KvError('unknown', 'the disk failed')
    await expect(run(queue, put('a'))).rejects.toMatchObject({ code: 'unknown' })
    tables.refuse = () => undefined
    await expect(run(queue, put('b'))).rejects.toMatchObject({ code: 'unavailable', message: 'the disk failed' })
    expect(queue.isBroken).toBe(true)
    expect(tables.tried).toEqual([1])
  })
})
