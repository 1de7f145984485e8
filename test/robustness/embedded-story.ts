// What a writer that was killed, or whose machine lost its power, had acknowledged, and whether a store still tells the same story.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import type { EmbeddedKv } from '../../src/kv/embedded/embedded.ts'
import { type KvError, type KvEvent, prefixRange, type Revision } from '../../src/kv/kv.ts'
import { isDelete, keyOf, stepOf, WRITERS } from './embedded-script.ts'

const never = new AbortController().signal

export interface Acknowledged {
  /** By key, the steps in order, each with its revision. */
  readonly steps: ReadonlyMap<string, readonly Revision[]>
  readonly counted: number
}

interface Listening {
  /** Resolves when it has opened the store; rejects where it went before. */
  readonly ready: Promise<void>
  /** The same, when a write was acknowledged. */
  readonly some: Promise<void>
  readonly all: Promise<Acknowledged>
}

/** What it says that it has done, until it is gone. */
export function listenTo(child: ChildProcess): Listening {
  const ready = Promise.withResolvers<void>()
  const some = Promise.withResolvers<void>()
  const steps = new Map<string, Revision[]>()
  let counted = 0
  const lines = createInterface({ input: child.stdout! })
  lines.on('line', (line) => {
    const [word, key = '', step, revision] = line.split(' ')
    if (word === 'ready') ready.resolve()
    else if (word === 'counted') counted = Math.max(counted, Number(key))
    else if (word === 'done' && revision !== undefined) {
      const known = steps.get(key) ?? []
      expect(known.length).toBe(Number(step))
      steps.set(key, [...known, Number(revision)])
      some.resolve()
    }
  })
  const closed = once(lines, 'close')
  child.once('exit', (code) => {
    const error = new Error(`the writer ended by itself with ${code}`)
    ready.reject(error)
    some.reject(error)
  })
  some.promise.catch(() => {})
  const all = closed.then(() => ({ steps, counted }))
  return { ready: ready.promise, some: some.promise, all }
}

/** What has been seen over all rounds. */
export class Story {
  acknowledgements = 0
  /** What each revision did, as it was first seen. */
  readonly #revisions = new Map<Revision, string>()
  /** The revision that each key of past rounds was left at. */
  readonly #settled = new Map<string, Revision>()
  #counter = 0

  async check(kv: EmbeddedKv, round: number, said: Acknowledged): Promise<void> {
    const history = await readHistory(kv)
    this.#checkHistory(history)
    const { items } = await kv.list(prefixRange('/'), never)
    const state = new Map(items.map((item) => [item.key, item]))
    for (const [key, revision] of this.#settled) expect(state.get(key)?.revision, key).toBe(revision)
    for (let writer = 0; writer < WRITERS; writer++) {
      const key = keyOf(round, writer)
      const revisions = said.steps.get(key) ?? []
      this.acknowledgements += revisions.length
      this.#checkSteps(key, revisions, history)
      const item = state.get(key)
      const lastDone = revisions.length - 1
      // The last acknowledged step, or the one that was under way.
      const mayBe = [lastDone, lastDone + 1].map((step) => (step < 0 || isDelete(step) ? undefined : step))
      expect(mayBe, key).toContain(item === undefined ? undefined : (stepOf(key, item.value) ?? 'half a value'))
      if (item !== undefined) this.#settled.set(key, item.revision)
    }
    const counter = Number(state.get('/counter')?.value ?? 0)
    expect(counter).toBeGreaterThanOrEqual(Math.max(said.counted, this.#counter))
    expect(counter).toBeLessThanOrEqual(Math.max(said.counted, this.#counter) + 3)
    this.#counter = counter
  }

  #checkHistory(history: ReadonlyMap<Revision, KvEvent>): void {
    for (const [revision, event] of history) {
      const step = event.kind === 'put' && event.key !== '/counter' ? stepOf(event.key, event.value) : 'any'
      expect(step, `${event.key} at ${revision}`).toBeDefined()
      const told = `${event.kind} ${event.key} ${step}`
      expect(this.#revisions.get(revision) ?? told).toBe(told)
      this.#revisions.set(revision, told)
    }
  }

  #checkSteps(key: string, revisions: readonly Revision[], history: ReadonlyMap<Revision, KvEvent>): void {
    const oldest = Math.min(...history.keys())
    for (const [step, revision] of revisions.entries()) {
      if (revision < oldest) continue
      const event = history.get(revision)
      expect(event, `${key} step ${step}`).toMatchObject({ key, kind: isDelete(step) ? 'delete' : 'put' })
      if (event?.kind === 'put') expect(stepOf(key, event.value)).toBe(step)
    }
  }
}

/** Every revision that is kept, none missing. */
async function readHistory(kv: EmbeddedKv): Promise<ReadonlyMap<Revision, KvEvent>> {
  const newest = await kv.newestRevision(never)
  const oldest = await kv.get('/', { at: 1 }, never).then(
    () => 1,
    (error: KvError) => error.compactRevision ?? 0,
  )
  const history = new Map<Revision, KvEvent>()
  if (newest === 1) return history
  for await (const batch of kv.watch({ prefix: '/', after: oldest - 1 }, never)) {
    for (const event of batch.events) history.set(event.revision, event)
    if (batch.revision >= newest) break
  }
  const first = Math.max(oldest, 2)
  expect([...history.keys()]).toEqual(Array.from({ length: newest - first + 1 }, (_, index) => first + index))
  return history
}
