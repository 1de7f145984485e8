// What clients do in a simulated run beside those of the random suite: objects with owners, a quota that many writers want, and ports of
// services; and what must be true of these at every revision, and once all has settled.
import { setTimeout as delay } from 'node:timers/promises'
import type { Role } from '../robustness/random/roles.ts'
import { NoAnswer, type Asked } from '../robustness/random/connection.ts'
import type { Gate } from '../robustness/random/gate.ts'
import type { Dice } from './dice.ts'
import type { CommittedChange } from './etcd-cluster.ts'
import type { SimConnection } from './sim-connection.ts'

export interface WorkParts {
  readonly dice: Dice
  readonly gate: Gate
  readonly connections: readonly SimConnection[]
  readonly count: (operation: string) => void
}

const LIMIT_MS = 5_000
const PAUSE_MS = [300, 2_500] as const
const MOST_IN_QUOTA = 6

type Ask = (operation: string, asked: Asked) => Promise<{ readonly status: number; readonly body: string } | undefined>

function loopOf({ dice, gate, connections, count }: WorkParts, step: (ask: Ask) => Promise<void>): Role {
  const ask: Ask = async (operation, asked) => {
    try {
      const answer = await dice.pick(connections).ask(asked, LIMIT_MS)
      count(operation)
      return answer
    } catch (error) {
      if (error instanceof NoAnswer) return undefined
      throw error
    }
  }
  return async (signal) => {
    while (!signal.aborted) {
      await gate.through(() => step(ask))
      await delay(dice.between(...PAUSE_MS))
    }
  }
}

const OWNED = '/api/v1/namespaces/gc/configmaps'

/** Makes objects that own others, and deletes owners in every way. */
export function owner(parts: WorkParts, name: string): Role {
  const { dice } = parts
  let count = 0
  return loopOf(parts, async (ask) => {
    const own = `${name}-${++count}`
    const made = await ask('own', { method: 'POST', path: OWNED, body: { metadata: { name: own } } })
    if (made?.status !== 201) return
    const { uid } = (JSON.parse(made.body) as { metadata: { uid: string } }).metadata
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: own, uid, blockOwnerDeletion: dice.chance(0.5) }
    for (let i = dice.below(3); i >= 0; i--) {
      const metadata = { name: `${own}-${i}`, ownerReferences: [reference] }
      await ask('own', { method: 'POST', path: OWNED, body: { metadata } })
    }
    await delay(dice.between(...PAUSE_MS))
    const propagationPolicy = dice.pick(['Background', 'Foreground', 'Orphan'])
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy }
    await ask('disown', { method: 'DELETE', path: `${OWNED}/${own}`, body })
  })
}

/** Makes as many objects as it can where a quota allows a few, and deletes some. */
export function spender(parts: WorkParts, name: string): Role {
  const { dice } = parts
  const path = '/api/v1/namespaces/quota/configmaps'
  let count = 0
  return loopOf(parts, async (ask) => {
    const one = `${name}-${dice.below(4)}`
    if (dice.chance(0.3)) await ask('spend', { method: 'DELETE', path: `${path}/${one}` })
    else await ask('spend', { method: 'POST', path, body: { metadata: { name: one }, data: { v: `${++count}` } } })
  })
}

/** Makes and deletes services with addresses and ports. */
export function exposer(parts: WorkParts, name: string): Role {
  const { dice } = parts
  const path = '/api/v1/namespaces/ports/services'
  return loopOf(parts, async (ask) => {
    const one = `${name}-${dice.below(3)}`
    const ports = [{ port: 80, ...(dice.chance(0.4) ? { nodePort: 30_000 + dice.below(4) } : {}) }]
    const body = { metadata: { name: one }, spec: { type: 'NodePort', ports } }
    if (dice.chance(0.4)) await ask('expose', { method: 'DELETE', path: `${path}/${one}` })
    else await ask('expose', { method: 'POST', path, body })
  })
}

interface StoredService {
  readonly spec: { readonly clusterIP?: string; readonly ports: readonly { readonly nodePort?: number }[] }
}

interface StoredOwned {
  readonly metadata: {
    readonly uid: string
    readonly deletionTimestamp?: string
    readonly ownerReferences?: readonly { readonly uid: string }[]
  }
}

/** Sees every change that is committed. */
export class Invariants {
  readonly violations: string[] = []
  readonly #spent = new Set<string>()
  readonly #services = new Map<string, readonly string[]>()
  readonly #owned = new Map<string, StoredOwned>()

  see({ key, value, revision }: CommittedChange): void {
    if (key.startsWith('/registry/configmaps/quota/')) this.#seeSpent(key, value, revision)
    else if (key.startsWith('/registry/services/specs/')) this.#seeService(key, value, revision)
    else if (key.startsWith('/registry/configmaps/gc/')) {
      if (value === undefined) this.#owned.delete(key)
      else this.#owned.set(key, JSON.parse(value.toString()) as StoredOwned)
    }
  }

  /** Once all has settled: what is owned by nothing that is there any more is gone, and what is being deleted too. */
  atEnd(): readonly string[] {
    const alive = new Set(Array.from(this.#owned.values(), ({ metadata }) => metadata.uid))
    return Array.from(this.#owned, ([key, { metadata }]): string[] => {
      const { ownerReferences = [], deletionTimestamp } = metadata
      if (deletionTimestamp !== undefined) return [`garbage: ${key} is being deleted for ever`]
      const isGarbage = ownerReferences.length > 0 && ownerReferences.every(({ uid }) => !alive.has(uid))
      return isGarbage ? [`garbage: the owner of ${key} is gone`] : []
    }).flat()
  }

  #seeSpent(key: string, value: Buffer | undefined, revision: number): void {
    if (value === undefined) return void this.#spent.delete(key)
    this.#spent.add(key)
    if (this.#spent.size > MOST_IN_QUOTA) {
      this.violations.push(`quota: ${this.#spent.size} objects at ${revision}, where ${MOST_IN_QUOTA} are allowed`)
    }
  }

  #seeService(key: string, value: Buffer | undefined, revision: number): void {
    this.#services.delete(key)
    if (value === undefined) return
    const { spec } = JSON.parse(value.toString()) as StoredService
    const taken = [spec.clusterIP ?? '', ...spec.ports.map(({ nodePort }) => String(nodePort ?? ''))].filter(
      (one) => one !== '' && one !== 'None',
    )
    for (const [other, theirs] of this.#services) {
      const both = taken.find((one) => theirs.includes(one))
      if (both !== undefined) this.violations.push(`ports: ${both} is ${key}'s and ${other}'s at ${revision}`)
    }
    this.#services.set(key, taken)
  }
}
