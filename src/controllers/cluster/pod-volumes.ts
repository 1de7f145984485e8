// The demands of a pod's volumes on its node, for the scheduler.
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../api/gen/kinds.ts'
import { annotationsOf, withMeta } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import type { Cluster } from './cluster-state.ts'
import type { Followed } from './followed.ts'
import { matchesTerm, type NodeFilter, refuseForGood } from './node-filters.ts'
import { claimsOf, fittingVolume, SELECTED_NODE, waitsForConsumer } from './volume-claims.ts'

export class PodVolumes {
  readonly #cluster: Cluster
  readonly #claims: Followed<PersistentVolumeClaim>
  readonly #volumes: Followed<PersistentVolume>
  readonly #classes: Followed<StorageClass>

  /** `onBound` is called when a claim is new or its phase has changed, because a pod may wait for the claim. */
  constructor(cluster: Cluster, onBound: () => void) {
    this.#cluster = cluster
    this.#claims = cluster.follow('core_v1.PersistentVolumeClaim')
    this.#volumes = cluster.follow('core_v1.PersistentVolume')
    this.#classes = cluster.follow('storage.k8s.io_v1.StorageClass')
    this.#claims.listen({
      changed: (claim, before) => {
        if (before === undefined || claim.status.phase !== before.status.phase) onBound()
      },
    })
  }

  #ofPod(pod: Pod): readonly (PersistentVolumeClaim | string)[] {
    return claimsOf(pod).map((name) => this.#claims.get(pod.metadata.namespace ?? '', name) ?? name)
  }

  /** The reason why no node can have the pod. Undefined: none. */
  problemOf(pod: Pod): string | undefined {
    for (const claim of this.#ofPod(pod)) {
      if (typeof claim === 'string') return `persistentvolumeclaim "${claim}" not found`
      if (claim.metadata.deletionTimestamp !== undefined)
        return `persistentvolumeclaim "${claim.metadata.name}" is being deleted`
      if (claim.status.phase !== 'Bound' && !this.#waits(claim))
        return 'pod has unbound immediate PersistentVolumeClaims'
    }
    return undefined
  }

  filter(pod: Pod): NodeFilter {
    const claims = this.#ofPod(pod).filter((claim) => typeof claim !== 'string')
    return ({ node }) => {
      const isReachable = ({ spec }: PersistentVolume): boolean =>
        spec.nodeAffinity?.required === undefined ||
        (spec.nodeAffinity.required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node))
      for (const claim of claims) {
        if (claim.status.phase === 'Bound') {
          const volume = this.#volumes.get('', claim.spec.volumeName ?? '')
          if (volume !== undefined && !isReachable(volume))
            return refuseForGood("node(s) didn't match PersistentVolume's node affinity")
        } else if (
          fittingVolume(this.#volumes.all(), claim, isReachable) === undefined &&
          !this.#isProvisioned(claim)
        ) {
          return refuseForGood("node(s) didn't find available persistent volumes to bind")
        }
      }
      return undefined
    }
  }

  /** Notes the node of the pod in claims that wait for it, so that they are bound. Resolves to false if the pod must wait for claims. */
  async bind(pod: Pod, nodeName: string): Promise<boolean> {
    let isReady = true
    for (const claim of this.#ofPod(pod)) {
      if (typeof claim === 'string' || claim.status.phase === 'Bound') continue
      isReady = false
      if (own(annotationsOf(claim), SELECTED_NODE) === nodeName) continue
      await this.#cluster.update(
        this.#claims,
        claim,
        (live) => {
          const annotations: Record<string, string> = { ...annotationsOf(live), [SELECTED_NODE]: nodeName }
          return withMeta(live, { annotations })
        },
        { manager: 'kube-scheduler' },
      )
    }
    return isReady
  }

  #classOf({ spec }: PersistentVolumeClaim): StorageClass | undefined {
    return this.#classes.get('', spec.storageClassName ?? '')
  }

  #waits(claim: PersistentVolumeClaim): boolean {
    return claim.spec.volumeName === undefined && waitsForConsumer(this.#classOf(claim))
  }

  #isProvisioned(claim: PersistentVolumeClaim): boolean {
    const { provisioner = 'kubernetes.io/no-provisioner' } = this.#classOf(claim) ?? {}
    return provisioner !== 'kubernetes.io/no-provisioner'
  }
}
