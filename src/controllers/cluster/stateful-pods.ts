// The pods and claims of a StatefulSet, by their ordinal.
import type { OwnerReference, PersistentVolumeClaim, Pod, PodTemplateSpec, StatefulSet } from '../../api/gen/kinds.ts'
import { labelsOf, metaOf } from '../../api/object-members.ts'
import { ownerReference } from './ownership.ts'

type ClaimTemplate = NonNullable<StatefulSet['spec']['volumeClaimTemplates']>[number]

export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${metadata.name}-`
  const { name = '' } = pod.metadata
  const text = name.startsWith(prefix) ? name.slice(prefix.length) : ''
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

export function claimName({ metadata }: StatefulSet, template: ClaimTemplate, ordinal: number): string {
  return `${metaOf(template).name}-${metadata.name}-${ordinal}`
}

export interface PodOfSet {
  readonly ordinal: number
  readonly template: PodTemplateSpec
  /** The name of the revision of the template. */
  readonly revision: string
}

export function madePod(set: StatefulSet, { ordinal, template, revision }: PodOfSet): Pick<Pod, 'metadata' | 'spec'> {
  const { name = '', namespace = '' } = set.metadata
  const podName = `${name}-${ordinal}`
  const labels: Record<string, string> = {
    ...labelsOf(template),
    'statefulset.kubernetes.io/pod-name': podName,
    'apps.kubernetes.io/pod-index': String(ordinal),
    'controller-revision-hash': revision,
  }
  const { annotations, finalizers } = template.metadata
  const templates = set.spec.volumeClaimTemplates ?? []
  const claimed = templates.map((one) => ({
    name: metaOf(one).name ?? '',
    persistentVolumeClaim: { claimName: claimName(set, one, ordinal) },
  }))
  const others = (template.spec.volumes ?? []).filter((volume) => !claimed.some((one) => one.name === volume.name))
  const volumes = [...claimed, ...others]
  return {
    metadata: {
      namespace,
      name: podName,
      generateName: `${name}-`,
      labels,
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [ownerReference(set)],
    },
    spec: {
      ...template.spec,
      hostname: podName,
      ...(set.spec.serviceName === '' ? {} : { subdomain: set.spec.serviceName }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  }
}

export interface MissingClaim {
  readonly metadata: PersistentVolumeClaim['metadata']
  readonly rest: { readonly spec: PersistentVolumeClaim['spec'] }
}

/** The claims of the pod that do not exist yet. */
export function* missingClaims(
  set: StatefulSet,
  ordinal: number,
  exists: (name: string) => boolean,
): Generator<MissingClaim> {
  const { whenDeleted } = set.spec.persistentVolumeClaimRetentionPolicy ?? {}
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(set, template, ordinal)
    if (exists(name)) continue
    const { annotations } = metaOf(template)
    const labels = { ...labelsOf(template), ...set.spec.selector?.matchLabels }
    const metadata = {
      namespace: set.metadata.namespace ?? '',
      name,
      labels,
      ...(annotations === undefined ? {} : { annotations }),
      ...(whenDeleted === 'Delete' ? { ownerReferences: [ownerReference(set)] } : {}),
    }
    yield { metadata, rest: { spec: template.spec } }
  }
}

export interface ClaimOwners {
  readonly owners: readonly OwnerReference[]
  /** Another controller owns the claim. The policy does not apply then. */
  readonly isForeign: boolean
}

/**
 * The owners that the retention policy of the set gives to a claim of a pod: the set, or the pod if it is scaled down. Other owners stay.
 * Undefined: the claim belongs to an earlier set or pod of the name, and is left to the garbage collector.
 */
export function claimOwners(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
  isScaledDown: boolean,
): ClaimOwners | undefined {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {}
  const [ofSet, ofPod] = [ownerReference(set), ownerReference(pod)]
  const before = claim.metadata.ownerReferences ?? []
  const names = (one: OwnerReference, own: OwnerReference): boolean =>
    one.apiVersion === own.apiVersion && one.kind === own.kind && one.name === own.name
  if (before.some((one) => [ofSet, ofPod].some((own) => names(one, own) && one.uid !== own.uid))) return undefined
  const others = before.filter((one) => !names(one, ofSet) && !names(one, ofPod))
  const hasPolicy = whenDeleted === 'Delete' || whenScaled === 'Delete'
  if (hasPolicy && others.some(({ controller }) => controller === true)) return { owners: others, isForeign: true }
  const isOfPod = whenScaled === 'Delete' && isScaledDown
  const own = isOfPod ? [ofPod] : whenDeleted === 'Delete' ? [ofSet] : []
  return { owners: [...others, ...own], isForeign: false }
}
