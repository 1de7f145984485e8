// StatefulSets: pods with a name and claims of their own, made and replaced one after the other, or all at once.
import type { ControllerRevision, Pod, StatefulSet, StatefulSetStatus } from '../../api/gen/kinds.ts'
import { labelsOf, metaOf, withMembers, withMeta } from '../../api/object-members.ts'
import { equalValues, own } from '../../api/value.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import { isReason } from '../writes.ts'
import { type Cluster, refusalOf } from './cluster-state.ts'
import { availableIn, claimChildren, hasEnded, isReady, queueOwners } from './ownership.ts'
import { type History, syncHistory, templateIn, trimHistory } from './revisions.ts'
import { claimName, claimOwners, madePod, missingClaims, ordinalOf } from './stateful-pods.ts'

const COMPONENT = 'statefulset-controller'
const REVISION = 'controller-revision-hash'

export function statefulSets(cluster: Cluster): void {
  const pods = cluster.follow('core_v1.Pod')
  const claims = cluster.follow('core_v1.PersistentVolumeClaim')
  const sets = cluster.follow('apps_v1.StatefulSet')
  const revisions = cluster.follow('apps_v1.ControllerRevision')
  const queue = cluster.queue('statefulset', sets, async (set) => {
    const history = await syncHistory(cluster, revisions, set, 'controller.kubernetes.io/hash')
    if (history === undefined) return true
    const sync = new SetSync(set, history)
    const isRefused = isTerminating(set) ? false : await sync.step(await claimChildren(cluster, pods, set))
    await sync.report(await claimChildren(cluster, pods, set))
    return isRefused
  })
  queueOwners(pods, sets, queue)
  // A pod that waits for a claim that is gone gets a new claim.
  claims.listen({
    changed: () => {},
    gone: ({ metadata: { namespace = '', name = '' } }) => {
      const isOf = (set: StatefulSet): boolean =>
        (set.spec.volumeClaimTemplates ?? []).some((one) =>
          name.startsWith(`${metaOf(one).name}-${set.metadata.name}-`),
        )
      for (const set of sets.in(namespace)) if (isOf(set)) queue.add(set)
    },
  })

  class SetSync {
    readonly #set: StatefulSet
    readonly #history: History
    readonly #current: ControllerRevision
    readonly #first: number
    readonly #isOrdered: boolean
    /** Whether a claim or pod was refused. */
    #isRefused = false

    constructor(set: StatefulSet, history: History) {
      const { spec, status } = set
      this.#set = set
      this.#history = history
      const { old, newest } = history
      this.#current = [...old, newest].find(({ metadata }) => metadata.name === status.currentRevision) ?? newest
      this.#first = spec.ordinals?.start ?? 0
      this.#isOrdered = spec.podManagementPolicy !== 'Parallel'
    }

    get #replicas(): number {
      return this.#set.spec.replicas ?? 1
    }

    #isKept(ordinal: number): boolean {
      return ordinal >= this.#first && ordinal < this.#first + this.#replicas
    }

    /** Carries out one step. An ordered set changes one pod and waits for it. Resolves to whether a claim or pod was refused. */
    async step(owned: readonly Pod[]): Promise<boolean> {
      const byOrdinal = new Map(owned.map((pod) => [ordinalOf(this.#set, pod), pod]))
      if (await this.#fill(byOrdinal)) return this.#isRefused
      const condemned = owned
        .filter((pod) => !this.#isKept(ordinalOf(this.#set, pod) ?? -1))
        .toSorted((a, b) => (ordinalOf(this.#set, b) ?? 0) - (ordinalOf(this.#set, a) ?? 0))
      if (await this.#shrink(condemned, byOrdinal)) return this.#isRefused
      await this.#replaceOld(byOrdinal)
      return this.#isRefused
    }

    /** Makes missing pods. Resolves to true if the set must wait. */
    async #fill(byOrdinal: ReadonlyMap<number | undefined, Pod>): Promise<boolean> {
      for (let ordinal = this.#first; ordinal < this.#first + this.#replicas; ordinal++) {
        const pod = byOrdinal.get(ordinal)
        if (pod === undefined) {
          const isMade = await this.#create(ordinal)
          if (this.#isOrdered || !isMade) return true
          continue
        }
        if (hasEnded(pod.status) && !isTerminating(pod)) {
          const message = `StatefulSet ${pod.metadata.namespace}/${this.#set.metadata.name} is recreating failed Pod ${pod.metadata.name}`
          this.#tell('RecreatingFailedPod', message, 'Warning')
          await this.#delete(pod)
          if (this.#isOrdered) return true
          continue
        }
        if (pod.status.phase === 'Pending' && (await this.#createClaims(ordinal)) !== undefined) {
          this.#isRefused = true
          return true
        }
        if (this.#isOrdered && !this.#isHealthy(pod)) return true
        await this.#settleClaims(pod, false)
      }
      return false
    }

    async #shrink(condemned: readonly Pod[], byOrdinal: ReadonlyMap<number | undefined, Pod>): Promise<boolean> {
      for (const pod of condemned) await this.#settleClaims(pod, true)
      for (const pod of condemned) {
        if (isTerminating(pod)) {
          if (this.#isOrdered) return true
          continue
        }
        const isUnhealthyBelow = [...byOrdinal].some(
          ([ordinal, other]) => (ordinal ?? 0) < (ordinalOf(this.#set, pod) ?? 0) && !this.#isHealthy(other),
        )
        if (this.#isOrdered && isUnhealthyBelow) return true
        await this.#delete(pod)
        if (this.#isOrdered) return true
      }
      return false
    }

    /** Deletes the last pod with an old template, once all after it are healthy. */
    async #replaceOld(byOrdinal: ReadonlyMap<number | undefined, Pod>): Promise<void> {
      const { type, rollingUpdate } = this.#set.spec.updateStrategy
      if (type === 'OnDelete') return
      const least = this.#first + (rollingUpdate?.partition ?? 0)
      for (let ordinal = this.#first + this.#replicas - 1; ordinal >= least; ordinal--) {
        const pod = byOrdinal.get(ordinal)
        if (pod === undefined) return
        if (revisionOf(pod) !== this.#history.newest.metadata.name && !isTerminating(pod)) return this.#delete(pod)
        if (!this.#isHealthy(pod)) return
      }
    }

    #isHealthy(pod: Pod): boolean {
      const wait =
        isTerminating(pod) || hasEnded(pod.status)
          ? undefined
          : availableIn(pod, this.#set.spec.minReadySeconds ?? 0, cluster.nowMs)
      if (wait !== undefined && wait > 0) queue.addAfter(this.#set, wait)
      return wait === 0
    }

    /** The revision of the template of a new pod. Below the partition, it is the current one. Otherwise, it is the newest one. */
    #revisionFor(ordinal: number): ControllerRevision {
      const { type, rollingUpdate } = this.#set.spec.updateStrategy
      if (type === 'OnDelete') return this.#history.newest
      const partition = rollingUpdate?.partition ?? 0
      return ordinal < this.#first + partition ? this.#current : this.#history.newest
    }

    /** Makes the missing claims of a pod. Resolves to the reason why it has not all of them. Undefined: it has. */
    async #createClaims(ordinal: number): Promise<string | undefined> {
      const { name = '', namespace = '' } = this.#set.metadata
      const podName = `${name}-${ordinal}`
      const exists = (claimed: string): boolean => claims.get(namespace, claimed) !== undefined
      for (const { metadata, rest } of missingClaims(this.#set, ordinal, exists)) {
        try {
          await cluster.create(claims, metadata, rest)
          const message = `Create Claim ${metadata.name} Pod ${podName} in StatefulSet ${name} success`
          this.#tell('SuccessfulCreate', message)
        } catch (error) {
          if (isReason(error, 'AlreadyExists')) continue
          const why = refusalOf(error)
          const message = `Create Claim ${metadata.name} for Pod ${podName} in StatefulSet ${name} failed error: ${why}`
          this.#tell('FailedCreate', message, 'Warning')
          return `failed to create PVC ${metadata.name}: ${why}`
        }
      }
      for (const template of this.#set.spec.volumeClaimTemplates ?? []) {
        const claimed = claimName(this.#set, template, ordinal)
        if (claims.get(namespace, claimed)?.metadata.deletionTimestamp !== undefined)
          return `pvc ${claimed} is being deleted`
      }
      return undefined
    }

    async #create(ordinal: number): Promise<boolean> {
      const problem = (await this.#createClaims(ordinal)) ?? (await this.#createPod(ordinal))
      if (problem === undefined) return true
      const { name } = this.#set.metadata
      const message = `Create Pod ${name}-${ordinal} in StatefulSet ${name} failed error: ${problem}`
      this.#tell('FailedCreate', message, 'Warning')
      this.#isRefused = true
      return false
    }

    /** Resolves to the reason why the pod was refused. Undefined: it was not. */
    async #createPod(ordinal: number): Promise<string | undefined> {
      const revision = this.#revisionFor(ordinal)
      const template = templateIn(revision) ?? this.#set.spec.template
      try {
        const { metadata, spec } = madePod(this.#set, { ordinal, template, revision: revision.metadata.name ?? '' })
        await cluster.create(pods, metadata, { spec })
        const message = `Create Pod ${metadata.name} in StatefulSet ${this.#set.metadata.name} successful`
        this.#tell('SuccessfulCreate', message)
        return undefined
      } catch (error) {
        return refusalOf(error)
      }
    }

    async #delete(pod: Pod): Promise<void> {
      if (!(await cluster.remove(pods, pod))) return
      const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} successful`
      this.#tell('SuccessfulDelete', message)
    }

    /** Gives the pod's claims the owners that the retention policy asks for, so that they are deleted with the pod or the set. */
    async #settleClaims(pod: Pod, isScaledDown: boolean): Promise<void> {
      const { namespace = '' } = this.#set.metadata
      for (const template of this.#set.spec.volumeClaimTemplates ?? []) {
        const name = claimName(this.#set, template, ordinalOf(this.#set, pod) ?? 0)
        const claim = claims.get(namespace, name)
        const wanted = claim && claimOwners(claim, this.#set, pod, isScaledDown)
        if (claim === undefined || wanted === undefined) continue
        const { owners, isForeign } = wanted
        if (isForeign) {
          const why = 'has a conflicting OwnerReference that acts as a manging controller'
          const message = `PersistentVolumeClaim ${name} ${why}, the retention policy is ignored for this claim`
          this.#tell('ConflictingController', message, 'Warning')
        }
        if (equalValues(owners, claim.metadata.ownerReferences ?? [])) continue
        await cluster.update(claims, claim, (live) => {
          const now = claimOwners(live, this.#set, pod, isScaledDown)
          return now === undefined ? live : withMeta(live, { ownerReferences: now.owners })
        })
      }
    }

    #tell(reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal'): void {
      cluster.events.record({ about: this.#set, component: COMPONENT, type, reason, message })
    }

    async report(owned: readonly Pod[]): Promise<void> {
      const { spec, metadata, status: before } = this.#set
      const newest = this.#history.newest.metadata.name ?? ''
      const current = this.#current.metadata.name ?? ''
      const living = owned.filter((pod) => !isTerminating(pod))
      const ready = owned.filter((pod) => pod.status.phase === 'Running' && isReady(pod))
      const waits = ready.map((pod) => availableIn(pod, spec.minReadySeconds ?? 0, cluster.nowMs) ?? 0)
      const pending = waits.filter((wait) => wait > 0)
      if (pending.length > 0) queue.addAfter(this.#set, Math.min(...pending))
      const count = (revision: string): number => living.filter((pod) => revisionOf(pod) === revision).length
      const updated = count(newest)
      const isDone =
        spec.updateStrategy.type === 'RollingUpdate' && updated === owned.length && ready.length === owned.length
      const status: StatefulSetStatus = withMembers<StatefulSetStatus>(
        { replicas: owned.length, availableReplicas: ready.length - pending.length },
        {
          ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
          readyReplicas: ready.length,
          currentReplicas: isDone ? updated : count(current),
          updatedReplicas: updated,
          currentRevision: isDone ? newest : current,
          updateRevision: newest,
          collisionCount: before.collisionCount ?? 0,
          conditions: before.conditions,
        },
      )
      await cluster.setStatus(sets, this.#set, status)
      const used = new Set([newest, current, ...owned.map((pod) => revisionOf(pod) ?? '')])
      await trimHistory(cluster, revisions, this.#history, { limit: spec.revisionHistoryLimit, used })
    }
  }
}

function revisionOf(pod: Pod): string | undefined {
  return own(labelsOf(pod), REVISION)
}
