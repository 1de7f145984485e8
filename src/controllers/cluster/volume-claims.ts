// Binds a volume claim to a matching volume, or to a volume that the simulated provisioner makes. This happens at once, or when the first
// pod that uses the claim has a node. Volumes and claims in use are not removed.
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../api/gen/kinds.ts'
import { annotationsOf, metaOf, withMeta } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { matchesLabels } from '../../api/selector.ts'
import { labelSelectorOf } from '../../api/selector-text.ts'
import { own } from '../../api/value.ts'
import { compareQuantities, parseQuantity, type Quantity } from '../../lib/quantity.ts'
import { pause } from '../../lib/pause.ts'
import { isReason } from '../writes.ts'
import type { Cluster } from './cluster-state.ts'
import type { Followed } from './followed.ts'
import { hasEnded, ownerReference } from './ownership.ts'

export const PROVISIONER = 'quarterdeck.dev/simulated'
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
const COMPONENT = 'persistentvolume-controller'
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
const CLAIM_IN_USE = 'kubernetes.io/pvc-protection'
const RETRY_MS = 10_000
const VOLUME_IN_USE = 'kubernetes.io/pv-protection'

/** The names of the claims of a pod. The name of a claim for an ephemeral volume begins with the name of the pod. */
export function claimsOf({ metadata, spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (ephemeral !== undefined) return [`${metadata.name}-${name}`]
    return persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName]
  })
}

export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
}

/** The volume that is reserved for the claim, or the smallest free volume that fits it. */
export function fittingVolume(
  volumes: Iterable<PersistentVolume>,
  claim: PersistentVolumeClaim,
  isReachable: (volume: PersistentVolume) => boolean = () => true,
): PersistentVolume | undefined {
  const { spec, metadata } = claim
  const wanted = amountOf(spec.resources.requests)
  const selector = spec.selector === undefined ? undefined : labelSelectorOf(spec.selector)
  let best: PersistentVolume | undefined
  for (const volume of volumes) {
    const { claimRef, capacity, accessModes = [], storageClassName = '', volumeMode } = volume.spec
    const isMine = claimRef?.name === metadata.name && claimRef?.namespace === metadata.namespace
    if (isMine && (claimRef?.uid ?? metadata.uid) === metadata.uid) return volume
    if (claimRef !== undefined || volume.metadata.deletionTimestamp !== undefined) continue
    if (spec.volumeName !== undefined && spec.volumeName !== volume.metadata.name) continue
    if (storageClassName !== (spec.storageClassName ?? '') || volumeMode !== spec.volumeMode) continue
    if (!(spec.accessModes ?? []).every((mode) => accessModes.includes(mode)) || !isReachable(volume)) continue
    if (selector !== undefined && !matchesLabels(selector, volume.metadata.labels)) continue
    const has = amountOf(capacity)
    if (has === undefined || (wanted !== undefined && compareQuantities(has, wanted) < 0)) continue
    if (best === undefined || compareQuantities(has, amountOf(best.spec.capacity)!) < 0) best = volume
  }
  return best
}

function amountOf(amounts: PersistentVolume['spec']['capacity']): Quantity | undefined {
  const parsed = parseQuantity(own(amounts ?? {}, 'storage') ?? '')
  return parsed.ok ? parsed.quantity : undefined
}

export function volumeClaims(cluster: Cluster): void {
  const claims = cluster.follow('core_v1.PersistentVolumeClaim')
  const volumes = cluster.follow('core_v1.PersistentVolume')
  const classes = cluster.follow('storage.k8s.io_v1.StorageClass')
  const pods = cluster.follow('core_v1.Pod')
  cluster.onReady(async () => {
    while (!(await cluster.attempt('make the default storage class', () => makeDefaultClass(cluster, classes))))
      if (!(await pause(cluster.parts.clock, RETRY_MS, cluster.signal))) return
  })

  const claimQueue = cluster.queue('persistentvolume-binder', claims, async (claim) => {
    if (claim.metadata.deletionTimestamp !== undefined) return unprotect(claim)
    if (claim.spec.volumeName === undefined || !isBound(claim)) await bind(claim)
  })
  const volumeQueue = cluster.queue('persistentvolumes', volumes, syncVolume)
  const everyClaim = (): void => {
    for (const claim of claims.all()) if (!isBound(claim)) claimQueue.add(claim)
  }
  volumes.listen({ changed: (volume) => void (volume.spec.claimRef === undefined && everyClaim()) })
  classes.listen({ changed: everyClaim })
  const tellOfUse = (pod: Pod): void => {
    for (const name of claimsOf(pod)) {
      const claim = claims.get(pod.metadata.namespace ?? '', name)
      if (claim?.metadata.deletionTimestamp !== undefined) claimQueue.add(claim)
    }
  }
  pods.listen({ changed: tellOfUse, gone: tellOfUse })
  claims.listen({
    changed: () => {},
    gone: ({ spec }) => {
      const volume = volumes.get('', spec.volumeName ?? '')
      if (volume !== undefined) volumeQueue.add(volume)
    },
  })
  cluster.queue('ephemeral-volume', pods, async (pod) => {
    for (const { name, ephemeral } of pod.spec.volumes ?? []) {
      const template = ephemeral?.volumeClaimTemplate
      const { namespace = '' } = pod.metadata
      const claimName = `${pod.metadata.name}-${name}`
      if (template === undefined || template === null || claims.get(namespace, claimName) !== undefined) continue
      const { labels = {}, annotations = {} } = metaOf(template)
      const meta = { namespace, name: claimName, labels, annotations, ownerReferences: [ownerReference(pod)] }
      try {
        await cluster.create(claims, meta, { spec: template.spec })
      } catch (error) {
        if (!isReason(error, 'AlreadyExists', 'NotFound', 'Forbidden')) throw error
      }
    }
  })

  async function bind(claim: PersistentVolumeClaim): Promise<void> {
    const storageClass = classes.get('', claim.spec.storageClassName ?? '')
    const selected = own(annotationsOf(claim), SELECTED_NODE)
    const isWaiting = waitsForConsumer(storageClass) && selected === undefined && claim.spec.volumeName === undefined
    if (isWaiting) return tell(claim, 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding')
    const found = fittingVolume(volumes.all(), claim) ?? (await provision(claim, storageClass))
    if (found === undefined) return tellUnbound(claim, storageClass)
    const claimRef = referenceTo(claim)
    const isFree = found.spec.claimRef?.uid !== claim.metadata.uid
    const volume = isFree
      ? await cluster.update(volumes, found, (live) =>
          withMeta({ ...live, spec: { ...live.spec, claimRef } }, { annotations: noted(live, BOUND_BY_CONTROLLER) }),
        )
      : found
    if (volume === undefined) return claimQueue.add(claim)
    await cluster.setStatus(volumes, volume, { ...volume.status, phase: 'Bound' })
    const volumeName = volume.metadata.name ?? ''
    const bound = await cluster.update(claims, claim, (live) =>
      withMeta(
        { ...live, spec: { ...live.spec, volumeName } },
        {
          annotations:
            live.spec.volumeName === undefined
              ? { ...noted(live, BOUND_BY_CONTROLLER), ...noted(live, BIND_COMPLETED) }
              : noted(live, BIND_COMPLETED),
        },
      ),
    )
    if (bound === undefined) return
    const { accessModes, capacity } = volume.spec
    await cluster.setStatus(claims, bound, { ...bound.status, phase: 'Bound', accessModes, capacity })
  }

  async function provision(
    claim: PersistentVolumeClaim,
    storageClass: StorageClass | undefined,
  ): Promise<PersistentVolume | undefined> {
    if (storageClass?.provisioner !== PROVISIONER || claim.spec.volumeName !== undefined) return undefined
    const name = `pvc-${claim.metadata.uid}`
    const spec = {
      capacity: claim.spec.resources.requests ?? {},
      accessModes: claim.spec.accessModes ?? [],
      claimRef: referenceTo(claim),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name ?? '',
      ...(claim.spec.volumeMode === undefined ? {} : { volumeMode: claim.spec.volumeMode }),
      hostPath: { path: `/var/lib/simulated/${name}` },
    }
    const annotations: Record<string, string> = { [PROVISIONED_BY]: PROVISIONER }
    try {
      const made = await cluster.create(volumes, { name, annotations }, { spec })
      tell(claim, 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`)
      return made
    } catch (error) {
      if (!isReason(error, 'AlreadyExists')) throw error
      return volumes.get('', name)
    }
  }

  function tellUnbound(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): void {
    if (storageClass === undefined) {
      return tell(claim, 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set')
    }
    const message = `Waiting for a volume to be created either by the external provisioner '${storageClass.provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
    tell(claim, 'ExternalProvisioning', message)
  }

  function tell(about: PersistentVolumeClaim, reason: string, message: string): void {
    cluster.events.record({ about, component: COMPONENT, reason, message })
  }

  /** Lets a deleted claim be removed when no pod uses it. */
  async function unprotect(claim: PersistentVolumeClaim): Promise<void> {
    const { name = '', namespace = '', finalizers = [] } = claim.metadata
    if (!finalizers.includes(CLAIM_IN_USE)) return
    // A pod without a node does not start with a claim that is being deleted.
    const uses = (pod: Pod): boolean => (pod.spec.nodeName ?? '') !== '' && claimsOf(pod).includes(name)
    const isUsed = [...pods.in(namespace)].some((pod) => !hasEnded(pod.status) && uses(pod))
    if (!isUsed) await withoutFinalizer(claims, claim, CLAIM_IN_USE)
  }

  async function withoutFinalizer<T extends PersistentVolume | PersistentVolumeClaim>(
    followed: Followed<T>,
    object: T,
    finalizer: string,
  ): Promise<void> {
    await cluster.update(followed, object, (live) => {
      const left = (live.metadata.finalizers ?? []).filter((one) => one !== finalizer)
      return withMeta(live as ApiObject, { finalizers: left.length === 0 ? undefined : left }) as T
    })
  }

  async function syncVolume(volume: PersistentVolume): Promise<void> {
    const { claimRef, persistentVolumeReclaimPolicy } = volume.spec
    const claim = claimRef === undefined ? undefined : claims.get(claimRef.namespace ?? '', claimRef.name ?? '')
    const isHeld = claim !== undefined && (claimRef?.uid === undefined || claimRef.uid === claim.metadata.uid)
    const phase = claimRef?.uid === undefined ? 'Available' : isHeld ? 'Bound' : 'Released'
    if (volume.metadata.deletionTimestamp !== undefined) {
      if (phase !== 'Bound' && (volume.metadata.finalizers ?? []).includes(VOLUME_IN_USE))
        await withoutFinalizer(volumes, volume, VOLUME_IN_USE)
      return
    }
    const written =
      volume.status.phase === phase ? volume : await cluster.setStatus(volumes, volume, { ...volume.status, phase })
    const isOurs = own(annotationsOf(volume), PROVISIONED_BY) === PROVISIONER
    if (written !== undefined && phase === 'Released' && persistentVolumeReclaimPolicy === 'Delete' && isOurs)
      await cluster.remove(volumes, written)
  }
}

function isBound({ status }: PersistentVolumeClaim): boolean {
  return status.phase === 'Bound'
}

function noted(object: PersistentVolume | PersistentVolumeClaim, annotation: string): Record<string, string> {
  return { ...annotationsOf(object), [annotation]: 'yes' }
}

function referenceTo({ metadata }: PersistentVolumeClaim): NonNullable<PersistentVolume['spec']['claimRef']> {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion }
}

/** Makes the default class, for claims that name no class, unless there is a default class. */
async function makeDefaultClass(cluster: Cluster, classes: Followed<StorageClass>): Promise<void> {
  const key = 'storageclass.kubernetes.io/is-default-class'
  if (cluster.options.nodes === 0 || [...classes.all()].some((one) => own(annotationsOf(one), key) === 'true')) return
  const annotations: Record<string, string> = { [key]: 'true' }
  try {
    await cluster.create(
      classes,
      { name: 'standard', annotations },
      { provisioner: PROVISIONER, volumeBindingMode: 'Immediate', reclaimPolicy: 'Delete' },
    )
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error
  }
}
