// Checks the volumes of a pod: names must be unique, and each volume must have one source.
import type { FieldPath } from '../../../api/field-path.ts'
import type {
  BuiltInTypes,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  KeyToPath,
  PodSpec,
  ProjectedVolumeSource,
  Volume,
} from '../../../api/gen/kinds.ts'
import { signOfQuantity } from '../../../lib/quantity.ts'
import type { Check, PartRule } from '../../../schema/validation/check.ts'
import { dns1123Subdomain, longerThan } from '../../../schema/validation/formats.ts'
import { checkClaimTemplate } from '../claim-spec.ts'
import { amountOf } from '../resource-names.ts'
import { checkDownwardFile } from './downward-api.ts'
import { checkKeyToPath, checkProjections } from './projected-volume.ts'
import { hasVagueImage } from './stored-pod-spec.ts'
import { checkSources, POD_SOURCES, type Source } from './volume-source.ts'

interface VolumeScope {
  readonly check: Check
  /** The name of the pod. Empty in templates, where the name is unknown. */
  readonly podName: string
  readonly isPod: boolean
}

/** Checks the volumes. Returns the valid volumes by name, which containers can mount. */
export function checkVolumes(
  spec: PodSpec,
  list: FieldPath<readonly Volume[]>,
  scope: VolumeScope,
): ReadonlyMap<string, Volume> {
  const { check, podName, isPod } = scope
  const volumes = spec.volumes ?? []
  const found = new Map<string, Volume>()
  if (volumes.length === 0) return found
  const made = new Set(
    podName === '' ? [] : volumes.filter((v) => v.ephemeral !== undefined).map((v) => `${podName}-${v.name}`),
  )
  for (const [i, volume] of volumes.entries()) {
    const at = list.index(i)
    const { name } = volume
    const before = check.errors.length
    checkSources(isPod ? SOURCES_OF_PODS : SOURCES_OF_TEMPLATES, volume, at, check)
    checkNamesMade(volume, at, scope)
    check.fields(volume, at, 'core_v1.Volume')
    if (found.has(name)) check.duplicate(at.child('name'), name)
    if (check.errors.length === before) found.set(name, volume)
    const claim = volume.persistentVolumeClaim?.claimName ?? ''
    if (made.has(claim)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume'
      check.invalid(at.child('persistentVolumeClaim').child('claimName'), claim, detail)
    }
  }
  return found
}

const ISCSI_NAME_TOO_LONG =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'

/** Names that are derived from the name of the volume must be valid, too. */
function checkNamesMade(volume: Volume, at: FieldPath<Volume>, { check, podName }: VolumeScope): void {
  const { name, iscsi, ephemeral } = volume
  if (iscsi?.initiatorName !== undefined && longerThan(`${name}:${iscsi.targetPortal}`, 64)) {
    check.invalid(at.child('name'), name, ISCSI_NAME_TOO_LONG)
  }
  if (ephemeral === undefined || podName === '' || name === '') return
  const claim = `${podName}-${name}`
  for (const fault of dns1123Subdomain(claim)) check.invalid(at.child('name'), name, `PVC name "${claim}": ${fault}`)
}

const emptyDir: PartRule<EmptyDirVolumeSource> = (source, at, check) => {
  const limit = amountOf(source.sizeLimit)
  if (limit !== undefined && signOfQuantity(limit) < 0) {
    check.forbidden(at.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')
  }
  check.fields(source, at, 'core_v1.EmptyDirVolumeSource')
}

/** Keys of a config map or secret that become files. */
const files =
  (...types: readonly (keyof BuiltInTypes)[]): PartRule<{ readonly items?: readonly KeyToPath[] }> =>
  (source, at, check) => {
    for (const type of types) check.fields(source, at, type)
    check.each(source, 'items', at, checkKeyToPath)
  }

const downwardApi: PartRule<DownwardAPIVolumeSource> = (source, at, check) => {
  check.fields(source, at, 'core_v1.DownwardAPIVolumeSource')
  for (const file of source.items ?? []) checkDownwardFile(file, at, check)
}

const projected: PartRule<ProjectedVolumeSource> = (source, at, check) => {
  check.fields(source, at, 'core_v1.ProjectedVolumeSource')
  checkProjections(source, at, check)
}

const ephemeral: PartRule<EphemeralVolumeSource> = (source, at, check) => {
  check.fields(source, at, 'core_v1.EphemeralVolumeSource')
  check.part(source, 'volumeClaimTemplate', at, checkClaimTemplate)
}

/** The sources in the order of the reference. This order decides which of two sources is refused. */
const sources = (isPod: boolean): readonly Source[] => [
  { field: 'emptyDir', rule: emptyDir },
  POD_SOURCES.host,
  POD_SOURCES.gitRepo,
  ...POD_SOURCES.disks,
  { field: 'secret', rule: files('core_v1.SecretVolumeSource') },
  ...POD_SOURCES.network,
  POD_SOURCES.claim,
  ...POD_SOURCES.clusters,
  { field: 'downwardAPI', refusedAs: 'downwarAPI', rule: downwardApi },
  ...POD_SOURCES.drivers,
  { field: 'configMap', rule: files('core_v1.LocalObjectReference', 'core_v1.ConfigMapVolumeSource') },
  POD_SOURCES.azureFile,
  ...POD_SOURCES.more,
  { field: 'projected', rule: projected },
  POD_SOURCES.scaleIo,
  POD_SOURCES.csi,
  { field: 'ephemeral', rule: ephemeral },
  {
    field: 'image',
    rule: (source, at, check) => {
      // At some levels controllers may fill in the reference of a template.
      const needsReference = check.form.keepsPodFaults ? !hasVagueImage(check) : isPod
      if (needsReference) check.fields(source, at, 'core_v1.ImageVolumeSource', 'reference')
      check.fields(source, at, 'core_v1.ImageVolumeSource', 'pullPolicy')
    },
  },
]

const SOURCES_OF_PODS = sources(true)
const SOURCES_OF_TEMPLATES = sources(false)
