// One step of the rollout of a Deployment: the ReplicaSet of its template, and the number of pods that each of its sets may have now.
import type { Deployment, Pod, ReplicaSet } from '../../api/gen/kinds.ts'
import { annotationsOf, labelsOf, withMembers, withMeta } from '../../api/object-members.ts'
import { entriesOf, equalValues, type MapOf, own } from '../../api/value.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import { isReason } from '../writes.ts'
import { type Cluster, refusalOf } from './cluster-state.ts'
import { type Found, isComplete, maxSurge, maxUnavailable, progressOf } from './deployment-status.ts'
import type { Followed } from './followed.ts'
import { byAge, hasEnded, ownerReference } from './ownership.ts'
import {
  availableIn,
  DESIRED,
  HASH,
  hasTemplateOf,
  HISTORY,
  isActive,
  MOST,
  numberIn,
  REVISION,
} from './replica-set-facts.ts'
import { revisionIn, totalOf } from './replica-set-facts.ts'
import { templateHash } from './template-hash.ts'

const COMPONENT = 'deployment-controller'
const LONGEST_HISTORY = 2000
/** Annotations that ReplicaSets do not take from their Deployment. */
const OWN_ANNOTATIONS: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  HISTORY,
  DESIRED,
  MOST,
  'deprecated.deployment.rollback.to',
]

export interface RolloutStores {
  readonly deployments: Followed<Deployment>
  readonly sets: Followed<ReplicaSet>
  readonly pods: Followed<Pod>
}

export class Rollout {
  readonly #cluster: Cluster
  readonly #stores: RolloutStores
  #deployment: Deployment
  /** The ReplicaSets, the oldest first. */
  #sets: readonly ReplicaSet[]
  #newName: string | undefined
  #found: Found | undefined
  #isOnlyScaled = false
  #isRefused = false

  constructor(cluster: Cluster, stores: RolloutStores, deployment: Deployment, sets: readonly ReplicaSet[]) {
    this.#cluster = cluster
    this.#stores = stores
    this.#deployment = deployment
    this.#sets = sets
    this.#newName = sets.find((set) => hasTemplateOf(set, deployment))?.metadata.name
  }

  get deployment(): Deployment {
    return this.#deployment
  }

  get sets(): readonly ReplicaSet[] {
    return this.#sets
  }

  /** The ReplicaSet of the current template. */
  get newSet(): ReplicaSet | undefined {
    return this.#sets.find(({ metadata }) => metadata.name === this.#newName)
  }

  /** A condition that the step has found. */
  get found(): Found | undefined {
    return this.#found
  }

  get isOnlyScaled(): boolean {
    return this.#isOnlyScaled
  }

  /** Whether the new set was refused. */
  get isRefused(): boolean {
    return this.#isRefused
  }

  get #old(): readonly ReplicaSet[] {
    return this.#sets.filter(({ metadata }) => metadata.name !== this.#newName)
  }

  get #replicas(): number {
    return this.#deployment.spec.replicas ?? 1
  }

  /** Carries out one step, which changes few sets. Their changes lead to the next step. */
  async sync(): Promise<void> {
    const { spec } = this.#deployment
    const isScaled = this.#sets.filter(isActive).some((set) => numberIn(set, DESIRED) !== this.#replicas)
    if (spec.paused === true || isScaled) {
      this.#isOnlyScaled = true
      await this.#syncRevision(false)
      await this.#scale()
      if (spec.paused === true) await this.#cleanUp()
    } else if (spec.strategy.type === 'Recreate') await this.#recreate()
    else await this.#roll()
  }

  async #roll(): Promise<void> {
    await this.#syncRevision(true)
    if (await this.#growNew()) return
    if (await this.#shrinkOld()) return
    if (isComplete(this.#deployment, this.#deployment.status)) await this.#cleanUp()
  }

  async #recreate(): Promise<void> {
    await this.#syncRevision(false)
    const active = this.#old.filter(isActive)
    for (const set of active) await this.#resize(set, 0)
    if (active.length > 0 || this.#hasOldPods()) return
    if (this.newSet === undefined) await this.#syncRevision(true)
    const { newSet } = this
    if (newSet !== undefined) await this.#resize(newSet, this.#replicas)
    if (isComplete(this.#deployment, this.#deployment.status)) await this.#cleanUp()
  }

  #hasOldPods(): boolean {
    return this.#old.some((set) =>
      this.#stores.pods.ownedBy(set.metadata.uid ?? '').some(({ status }) => !hasEnded(status)),
    )
  }

  /** Gives the new set its revision and annotations. Creates the set if it is missing and `isWanted`. */
  async #syncRevision(isWanted: boolean): Promise<void> {
    const newest = this.#old.map(revisionIn).reduce((most, one) => (one > most ? one : most), 0n) + 1n
    const { newSet } = this
    if (newSet === undefined) {
      if (isWanted) await this.#create(newest)
      return
    }
    const annotations = this.#annotationsFor(newSet, newest)
    const { minReadySeconds } = this.#deployment.spec
    const isCurrent = newSet.spec.minReadySeconds === minReadySeconds
    if (!isCurrent || !equalValues(annotations, annotationsOf(newSet))) {
      await this.#update(newSet, (live) =>
        withMeta({ ...live, spec: withMembers(live.spec, { minReadySeconds }) }, { annotations }),
      )
      await this.#setRevision(newest)
      return
    }
    if (progressOf(this.#deployment.status) === undefined) {
      const message = `Found new replica set "${newSet.metadata.name}"`
      this.#found = { status: 'True', reason: 'FoundNewReplicaSet', message }
    }
    await this.#setRevision(revisionIn(newSet) || newest)
  }

  async #setRevision(revision: bigint): Promise<void> {
    const text = String(revision)
    if (own(annotationsOf(this.#deployment), REVISION) === text) return
    const written = await this.#cluster.update(
      this.#stores.deployments,
      this.#deployment,
      (live) => withMeta(live, { annotations: joined(annotationsOf(live), { [REVISION]: text }) }),
      { subresource: 'status' },
    )
    if (written !== undefined) this.#deployment = written
  }

  #annotationsFor(set: ReplicaSet | undefined, revision: bigint): MapOf<string> {
    const copied = entriesOf(annotationsOf(this.#deployment)).filter(([key]) => !OWN_ANNOTATIONS.includes(key))
    const before = set === undefined ? {} : annotationsOf(set)
    const annotations: Record<string, string> = { ...before, ...Object.fromEntries(copied) }
    const old = set === undefined ? 0n : revisionIn(set)
    if (old >= revision) return annotations
    annotations[REVISION] = String(revision)
    if (old === 0n) return annotations
    const history = [...(own(before, HISTORY) ?? '').split(',').filter((one) => one !== ''), String(old)]
    while (history.join(',').length > LONGEST_HISTORY) history.shift()
    return joined(annotations, { [HISTORY]: history.join(',') })
  }

  async #create(revision: bigint): Promise<void> {
    const deployment = this.#deployment
    const { metadata, spec, status } = deployment
    const hash = templateHash(spec.template, status.collisionCount)
    const name = `${metadata.name}-${hash}`
    const labels = joined(labelsOf(spec.template), { [HASH]: hash })
    const template = { ...spec.template, metadata: withMembers(spec.template.metadata, { labels }) }
    const replicas = this.#roomForNew(undefined)
    const made = {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: joined(spec.selector?.matchLabels ?? {}, { [HASH]: hash }) },
      template,
    }
    const annotations = joined(this.#annotationsFor(undefined, revision), this.#counts())
    const meta = {
      namespace: metadata.namespace ?? '',
      name,
      ownerReferences: [ownerReference(deployment)],
      annotations,
    }
    try {
      const set = await this.#cluster.create(this.#stores.sets, { ...meta, labels }, { spec: made })
      this.#sets = [...this.#sets, set].sort(byAge)
      this.#newName = name
      if (replicas > 0) this.#tell(`Scaled up replica set ${name} from 0 to ${replicas}`)
      this.#found = { status: 'True', reason: 'NewReplicaSetCreated', message: `Created new replica set "${name}"` }
      await this.#setRevision(revision)
    } catch (error) {
      if (isReason(error, 'AlreadyExists')) return this.#avoidCollision()
      const message = `Failed to create new replica set "${name}": ${refusalOf(error)}`
      this.#isRefused = true
      this.#found = { status: 'False', reason: 'ReplicaSetCreateError', message }
      const about = { about: deployment, type: 'Warning', component: COMPONENT } as const
      this.#cluster.events.record({ ...about, reason: 'ReplicaSetCreateError', message })
    }
  }

  /** Called if a set of another template or owner has the name. Raises the number of collisions, so that the next hash differs. */
  async #avoidCollision(): Promise<void> {
    const collisionCount = (this.#deployment.status.collisionCount ?? 0) + 1
    const { deployments } = this.#stores
    const written = await this.#cluster.setStatus(deployments, this.#deployment, {
      ...this.#deployment.status,
      collisionCount,
    })
    if (written !== undefined) this.#deployment = written
  }

  #counts(): Record<string, string> {
    return { [DESIRED]: String(this.#replicas), [MOST]: String(this.#replicas + maxSurge(this.#deployment)) }
  }

  /** The number of pods that the new set may have. */
  #roomForNew(newSet: ReplicaSet | undefined): number {
    const has = newSet?.spec.replicas ?? 0
    if (this.#deployment.spec.strategy.type === 'Recreate') return this.#replicas
    const room = this.#replicas + maxSurge(this.#deployment) - totalOf(this.#sets)
    return room <= 0 ? has : has + Math.min(room, this.#replicas - has)
  }

  async #growNew(): Promise<boolean> {
    const { newSet } = this
    if (newSet === undefined) return false
    const has = newSet.spec.replicas ?? 0
    if (has === this.#replicas) return false
    return this.#resize(newSet, has > this.#replicas ? this.#replicas : this.#roomForNew(newSet))
  }

  /** Makes old sets smaller: first by unhealthy pods, then by healthy pods while enough are available. True: a set has changed. */
  async #shrinkOld(): Promise<boolean> {
    const old = this.#old.filter(isActive)
    if (totalOf(old) === 0) return false
    const least = this.#replicas - maxUnavailable(this.#deployment)
    const { newSet } = this
    const missing = (newSet?.spec.replicas ?? 0) - (newSet?.status.availableReplicas ?? 0)
    let most = totalOf(this.#sets) - least - missing
    if (most <= 0) return false
    let isChanged = false
    for (const { metadata } of old) {
      const set = this.#named(metadata.name)
      const has = set?.spec.replicas ?? 0
      const down = Math.min(most, has - (set?.status.availableReplicas ?? 0))
      if (set === undefined || down <= 0) continue
      isChanged = (await this.#resize(set, has - down)) || isChanged
      most -= down
    }
    let spare = this.#sets.reduce((all, set) => all + availableIn(set), 0) - least
    for (const { metadata } of old) {
      const set = this.#named(metadata.name)
      const has = set?.spec.replicas ?? 0
      const down = Math.min(spare, has)
      if (set === undefined || down <= 0) continue
      isChanged = (await this.#resize(set, has - down)) || isChanged
      spare -= down
    }
    return isChanged
  }

  /** Called if the deployment has a new size, or is paused. One active set gets the whole size. Several sets share it by their sizes. */
  async #scale(): Promise<void> {
    const active = this.#sets.filter(isActive)
    const { newSet } = this
    const only = active.length > 1 ? undefined : (active[0] ?? newSet ?? this.#sets.at(-1))
    if (only !== undefined) {
      await this.#resize(only, this.#replicas)
      return
    }
    if (active.length === 0) return
    if (newSet !== undefined && this.#isSaturated(newSet)) {
      for (const set of this.#old.filter(isActive)) await this.#resize(set, 0)
      return
    }
    if (this.#deployment.spec.strategy.type === 'RollingUpdate') await this.#share(active)
  }

  #isSaturated(set: ReplicaSet): boolean {
    const counts = [set.spec.replicas, numberIn(set, DESIRED), set.status.availableReplicas]
    return counts.every((count = 0) => count === this.#replicas)
  }

  async #share(active: readonly ReplicaSet[]): Promise<void> {
    const allowed = this.#replicas > 0 ? this.#replicas + maxSurge(this.#deployment) : 0
    const change = allowed - totalOf(active)
    const bySize = [...active].sort((a, b) => {
      const difference = (b.spec.replicas ?? 0) - (a.spec.replicas ?? 0)
      return difference !== 0 ? difference : change > 0 ? byAge(b, a) : byAge(a, b)
    })
    const sizes = bySize.map((set) => set.spec.replicas ?? 0)
    let changed = 0
    if (change !== 0) {
      for (const [i, set] of bySize.entries()) {
        const left = change - changed
        const wanted = this.#fraction(set)
        const part = change > 0 ? Math.min(wanted, left) : Math.max(wanted, left)
        sizes[i] = sizes[i]! + part
        changed += part
      }
      sizes[0] = Math.max(0, sizes[0]! + change - changed)
    }
    for (const [i, set] of bySize.entries()) await this.#resize(set, sizes[i]!)
  }

  /** The change of a set if all sets change by the same factor. */
  #fraction(set: ReplicaSet): number {
    const { replicas = 0 } = set.spec
    if (this.#replicas === 0) return -replicas
    const before = numberIn(set, MOST) ?? this.#deployment.status.replicas ?? 0
    if (before === 0) return 0
    return Math.round((replicas * (this.#replicas + maxSurge(this.#deployment))) / before) - replicas
  }

  /** Resizes the set. Resolves to whether its size has changed. */
  async #resize(set: ReplicaSet, replicas: number): Promise<boolean> {
    const { replicas: before = 0 } = set.spec
    const counts = this.#counts()
    const isNoted = Object.entries(counts).every(([key, value]) => own(annotationsOf(set), key) === value)
    if (before === replicas && isNoted) return false
    const written = await this.#update(set, (live) =>
      withMeta({ ...live, spec: { ...live.spec, replicas } }, { annotations: joined(annotationsOf(live), counts) }),
    )
    if (!written || before === replicas) return false
    const direction = replicas > before ? 'up' : 'down'
    this.#tell(`Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${replicas}`)
    return true
  }

  #tell(message: string): void {
    this.#cluster.events.record({ about: this.#deployment, component: COMPONENT, reason: 'ScalingReplicaSet', message })
  }

  async #update(set: ReplicaSet, change: (live: ReplicaSet) => ReplicaSet): Promise<boolean> {
    const written = await this.#cluster.update(this.#stores.sets, set, change)
    if (written === undefined) return false
    this.#sets = this.#sets.map((one) => (one.metadata.uid === written.metadata.uid ? written : one))
    return true
  }

  /** Deletes the oldest sets beyond the history that is kept. */
  async #cleanUp(): Promise<void> {
    const { revisionHistoryLimit: kept } = this.#deployment.spec
    if (kept === undefined || kept === 2 ** 31 - 1) return
    const idle = this.#old.filter((set) => !isTerminating(set))
    for (const set of idle.slice(0, Math.max(0, idle.length - kept))) {
      const isSeen = Number(set.metadata.generation) <= Number(set.status.observedGeneration ?? 0)
      if (set.status.replicas !== 0 || isActive(set) || !isSeen) continue
      await this.#cluster.remove(this.#stores.sets, set)
      this.#sets = this.#sets.filter((one) => one !== set)
    }
  }

  #named(name: string | undefined): ReplicaSet | undefined {
    return this.#sets.find(({ metadata }) => metadata.name === name)
  }
}

function joined(map: MapOf<string>, more: Readonly<Record<string, string>>): MapOf<string> {
  return { ...map, ...more }
}
