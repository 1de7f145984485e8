// StatefulSets: pods with a name and claims of their own, made and replaced one after the other, or all at once.
import type { ControllerRevision, Pod, StatefulSet, StatefulSetStatus } from '../../api/gen/kinds.ts'
import { labelsOf, withMembers } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import { type Cluster, refusalOf } from './cluster-state.ts'
import { availableIn, claimChildren, hasEnded, isReady, queueOwners } from './ownership.ts'
import { type History, syncHistory, templateIn, trimHistory } from './revisions.ts'
import { claimName, madePod, missingClaims, ordinalOf, withClaimOwner } from './stateful-pods.ts'

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

  class SetSync {
    readonly #set: StatefulSet
    readonly #history: History
    readonly #current: ControllerRevision
    readonly #first: number
    readonly #isOrdered: boolean
    /** A claim or pod was refused. */
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

    /** An ordered set changes one pod and waits for it. */
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

    /** Makes missing pods. True: the set waits. */
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
        if (this.#isOrdered && !this.#isHealthy(pod)) return true
      }
      return false
    }

    async #shrink(condemned: readonly Pod[], byOrdinal: ReadonlyMap<number | undefined, Pod>): Promise<boolean> {
      for (const pod of condemned) {
        if (isTerminating(pod)) {
          if (this.#isOrdered) return true
          continue
        }
        const isUnhealthyBelow = [...byOrdinal].some(
          ([ordinal, other]) => (ordinal ?? 0) < (ordinalOf(this.#set, pod) ?? 0) && !this.#isHealthy(other),
        )
        if (this.#isOrdered && isUnhealthyBelow) return true
        if (this.#set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete') await this.#handClaims(pod)
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

    /** The template of a new pod. It is the current one below the partition, and for pods that the update has not reached. */
    #revisionFor(ordinal: number): ControllerRevision {
      const { type, rollingUpdate } = this.#set.spec.updateStrategy
      if (type === 'OnDelete') return this.#history.newest
      const partition = rollingUpdate?.partition ?? 0
      return ordinal < this.#first + partition ? this.#current : this.#history.newest
    }

    async #create(ordinal: number): Promise<boolean> {
      const revision = this.#revisionFor(ordinal)
      const template = templateIn(revision) ?? this.#set.spec.template
      const { name = '', namespace = '' } = this.#set.metadata
      const podName = `${name}-${ordinal}`
      try {
        for (const claim of missingClaims(
          this.#set,
          ordinal,
          (claimed) => claims.get(namespace, claimed) !== undefined,
        )) {
          await cluster.create(claims, claim.metadata, claim.rest)
          const message = `Create Claim ${claim.metadata.name} Pod ${podName} in StatefulSet ${name} success`
          this.#tell('SuccessfulCreate', message)
        }
        const { metadata, spec } = madePod(this.#set, { ordinal, template, revision: revision.metadata.name ?? '' })
        await cluster.create(pods, metadata, { spec })
        this.#tell('SuccessfulCreate', `Create Pod ${podName} in StatefulSet ${name} successful`)
        return true
      } catch (error) {
        const why = refusalOf(error)
        this.#tell('FailedCreate', `Create Pod ${podName} in StatefulSet ${name} failed error: ${why}`, 'Warning')
        this.#isRefused = true
        return false
      }
    }

    async #delete(pod: Pod): Promise<void> {
      if (!(await cluster.remove(pods, pod))) return
      const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} successful`
      this.#tell('SuccessfulDelete', message)
    }

    /** The claims of a removed pod are removed with it. */
    async #handClaims(pod: Pod): Promise<void> {
      const { namespace = '' } = this.#set.metadata
      for (const template of this.#set.spec.volumeClaimTemplates ?? []) {
        const claim = claims.get(namespace, claimName(this.#set, template, ordinalOf(this.#set, pod) ?? 0))
        if (claim !== undefined) await cluster.update(claims, claim, (live) => withClaimOwner(live, pod))
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
      const available = ready.filter((pod) => availableIn(pod, spec.minReadySeconds ?? 0, cluster.nowMs) === 0)
      const count = (revision: string): number => living.filter((pod) => revisionOf(pod) === revision).length
      const updated = count(newest)
      const isDone =
        spec.updateStrategy.type === 'RollingUpdate' && updated === owned.length && ready.length === owned.length
      const status: StatefulSetStatus = withMembers<StatefulSetStatus>(
        { replicas: owned.length, availableReplicas: available.length },
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
