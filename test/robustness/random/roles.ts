// What the clients of a run do, each in a loop until it is told to stop: write and read at random, follow by watches, keep a copy by list
// and watch, write two keys in one transaction behind the server's back, and elect a leader among them.
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../../../src/client/client.ts'
import type { ClientParts, RecordingClient, Wanted } from './client.ts'
import type { ReadAt, Scope, Told, WriteOutcome } from './history.ts'

export const NAMESPACES = ['r0', 'r1'] as const
export const LEADER_LOG = 'r0/leader-log'
const TOGETHER = ['r1/t0', 'r1/t1'] as const
const NAMES = 5
const COLORS = ['red', 'blue'] as const
const PAUSE_MS = 20
/** After something that was not answered. */
const LONG_PAUSE_MS = 60
const MOST_FOLLOW_MS = 3_000
const WATCH_SECONDS = 8
const TERM_MS = 2_000

/** A role goes on until its signal fires, and resolves then. */
export type Role = (signal: AbortSignal) => Promise<void>

function pick<T>(roll: ClientParts['roll'], from: readonly T[]): T {
  return from[roll(from.length)]!
}

function anyScope(roll: ClientParts['roll']): Scope {
  const namespace = pick(roll, NAMESPACES)
  return roll(3) === 0 ? { namespace, color: pick(roll, COLORS) } : { namespace }
}

/** Creates, changes, deletes and reads at random, with and without conditions. */
export function writer(client: RecordingClient): Role {
  const { roll, gate, slowness = 1 } = client.parts
  let count = 0
  const step = async (): Promise<boolean> => {
    const key = `${pick(roll, NAMESPACES)}/n${roll(NAMES)}`
    const fresh = { key, value: `${client.name}-${++count}`, color: pick(roll, COLORS) }
    const turn = roll(12)
    if (turn >= 9) return turn === 9 ? (await client.get(key)) !== 'unknown' : readList(client)
    const blind: Readonly<Record<number, Wanted>> = {
      0: { verb: 'create', ...fresh },
      1: { verb: 'create', ...fresh },
      2: { verb: 'update', ...fresh },
      3: { verb: 'patch', ...fresh },
      4: { verb: 'delete', key },
    }
    const wanted = blind[turn]
    if (wanted !== undefined) return isAnswer(await client.write(wanted))
    const found = await client.get(key)
    if (found === 'unknown') return false
    if (found === undefined) return isAnswer(await client.write({ verb: 'create', ...fresh }))
    const expected = found.revision
    if (turn === 5) return isAnswer(await client.write({ verb: 'delete', key, expected }))
    return isAnswer(await client.write({ verb: turn === 6 ? 'patch' : 'update', ...fresh, expected }))
  }
  return async (signal) => {
    while (!signal.aborted) {
      const isAnswered = await gate.through(step)
      await delay(slowness * (isAnswered ? PAUSE_MS + roll(PAUSE_MS) : LONG_PAUSE_MS))
    }
  }
}

/** Writes two or three objects in one transaction of the API, those that writers change too. */
export function transactor(client: RecordingClient): Role {
  const { roll, gate, slowness = 1 } = client.parts
  let count = 0
  const step = async (): Promise<boolean> => {
    const keys = new Set<string>()
    for (const wanted = 2 + roll(2); keys.size < wanted; ) keys.add(`${pick(roll, NAMESPACES)}/n${roll(NAMES)}`)
    return isAnswer(await client.transact([...keys], `${client.name}-${++count}`, pick(roll, COLORS)))
  }
  return async (signal) => {
    while (!signal.aborted) {
      const isAnswered = await gate.through(step)
      await delay(slowness * (isAnswered ? PAUSE_MS + roll(PAUSE_MS) : LONG_PAUSE_MS))
    }
  }
}

function isAnswer(outcome: WriteOutcome): boolean {
  return outcome.kind !== 'unknown'
}

async function readList(client: RecordingClient): Promise<boolean> {
  const { roll, known, recorder } = client.parts
  const past = known.since + roll(Math.max(1, known.newest - known.since))
  const kinds: readonly ReadAt[] = [
    { kind: 'latest' },
    { kind: 'latest' },
    { kind: 'any' },
    { kind: 'notOlderThan', revision: known.newest },
    { kind: 'exact', revision: past },
  ]
  const at = pick(roll, kinds)
  const limit = at.kind === 'latest' && roll(2) === 0 ? 2 : undefined
  const list = await client.list(anyScope(roll), at, limit)
  if (list !== undefined) recorder.add('lists', list)
  return list !== undefined
}

/** `initial`: always from the newest state; `resume`: from where it was; `past`: from anywhere in the window. */
export type WatcherKind = 'initial' | 'resume' | 'past'

export function watcher(client: RecordingClient, kind: WatcherKind, scope: Scope): Role {
  const { roll, gate, known, recorder, slowness = 1 } = client.parts
  let reached: number | undefined
  return async (signal) => {
    while (!signal.aborted) {
      const isAlive = await gate.through(async (closing) => {
        const past = known.since + roll(Math.max(1, known.newest - known.since))
        if (reached !== undefined && reached < known.kept) reached = undefined
        const after = kind === 'initial' ? undefined : kind === 'past' ? past : reached
        const wish = { scope, after, seconds: 1 + roll(WATCH_SECONDS) }
        const { watch, isGone } = await client.watch(wish, AbortSignal.any([signal, closing]))
        recorder.add('watches', watch)
        reached = isGone ? undefined : (placeIn(watch.told, after) ?? reached)
        return watch.told.length > 0
      })
      await delay(slowness * (isAlive ? PAUSE_MS : LONG_PAUSE_MS))
    }
  }
}

/** How far a watch has come; undefined where its initial events were cut off. */
function placeIn(told: readonly Told[], after: number | undefined): number | undefined {
  if (after === undefined && !told.some(({ isInitialEnd }) => isInitialEnd)) return undefined
  return told.at(-1)?.revision ?? after
}

/** Keeps a copy, as informers do: a list, a watch from there, and a list to compare with. */
export function follower(client: RecordingClient): Role {
  const { roll, gate, recorder, slowness = 1 } = client.parts
  return async (signal) => {
    while (!signal.aborted) {
      await gate.through(async (closing) => {
        const scope = anyScope(roll)
        const before = await client.list(scope, { kind: 'latest' })
        if (before === undefined) return
        const end = AbortSignal.any([signal, closing, AbortSignal.timeout(MOST_FOLLOW_MS / 3 + roll(MOST_FOLLOW_MS))])
        const { watch } = await client.watch({ scope, after: before.revision, seconds: WATCH_SECONDS }, end)
        const revision = watch.told.at(-1)?.revision ?? before.revision
        const after = await client.list(scope, { kind: 'exact', revision })
        if (after !== undefined) return recorder.add('follows', { before, watch, after })
        recorder.add('lists', before)
        recorder.add('watches', watch)
      })
      await delay(slowness * LONG_PAUSE_MS)
    }
  }
}

/** Another program that writes two objects in one revision: nobody may ever see one without the other. */
export function togetherWriter(parts: ClientParts, put: (contents: Together) => Promise<WriteOutcome>): Role {
  const { gate, recorder, known, slowness = 1 } = parts
  const name = `together.${known.since}`
  let count = 0
  const step = async (): Promise<void> => {
    const value = `${name}-${++count}`
    const start = performance.now()
    const outcome = await put(contentsOf(value))
    const end = performance.now()
    for (const key of TOGETHER) {
      recorder.add('writes', { client: 'etcd', verb: 'together', key, value, start, end, outcome })
    }
  }
  return async (signal) => {
    while (!signal.aborted) {
      await gate.through(step)
      await delay(slowness * 10 * PAUSE_MS)
    }
  }
}

/** What is to be stored under each key. */
export type Together = readonly { readonly key: string; readonly value: string }[]

function contentsOf(value: string): Together {
  return TOGETHER.map((key) => {
    const [namespace, name] = key.split('/')
    const metadata = { name, namespace, uid: name, creationTimestamp: '2026-01-01T00:00:00Z', labels: { color: 'red' } }
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { v: value } }
    return { key: `/registry/configmaps/${key}`, value: JSON.stringify(object) }
  })
}

/** By etcd's own HTTP gateway. */
export async function putTogether(endpoint: string, contents: Together): Promise<WriteOutcome> {
  const encode = (text: string): string => Buffer.from(text).toString('base64')
  const success = contents.map(({ key, value }) => ({ request_put: { key: encode(key), value: encode(value) } }))
  try {
    const signal = AbortSignal.timeout(2_000)
    const response = await fetch(`${endpoint}/v3/kv/txn`, { method: 'POST', body: JSON.stringify({ success }), signal })
    if (!response.ok) return { kind: 'unknown', why: await response.text() }
    const { header } = (await response.json()) as { header: { revision: string } }
    return { kind: 'done', revision: Number(header.revision), uid: '' }
  } catch (error) {
    return { kind: 'unknown', why: String(error) }
  }
}

/** One of several that stand for election over a Lease; whoever leads writes the log, each entry bound to the one before. */
export function candidate(client: RecordingClient, open: () => Client): Role {
  let terms = 0
  const lead = async (over: AbortSignal): Promise<void> => {
    const term = `${client.name}.${++terms}`
    const end = performance.now() + TERM_MS
    const { gate } = client.parts
    const first = await gate.through(() => client.get(LEADER_LOG))
    if (first === 'unknown') return
    let expected = first?.revision
    for (let entry = 1; !over.aborted && performance.now() < end; entry++) {
      const content = { key: LEADER_LOG, value: `${term}/${entry}`, color: 'red' }
      const wanted: Wanted =
        expected === undefined ? { verb: 'create', ...content } : { verb: 'update', ...content, expected }
      const outcome = await gate.through(() => client.write(wanted))
      if (outcome.kind !== 'done') return
      expected = outcome.revision!
      await delay(5 * PAUSE_MS)
    }
  }
  return async (signal) => {
    using elected = open()
    const times = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 500 }
    const options = { namespace: NAMESPACES[0], name: 'elected', identity: client.name, ...times, signal }
    while (!signal.aborted) {
      await elected.runAsLeader(options, lead).catch(() => undefined)
      if (!signal.aborted) await delay(LONG_PAUSE_MS)
    }
  }
}
