// CSI drivers.
import { FieldPath } from '../../api/field-path.ts'
import { integerOrAbsent, isGiven, listOrEmpty, mapsInPlace, textOrEmpty, textsInPlace } from '../../api/members.ts'
import { metaText, specOf } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { equalValues, own, type ValueMap } from '../../api/value.ts'
import { AGE, boolean, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { at, booleanAt, listAt, orNone, textAt, textsAt } from '../../codec/tables/reading.ts'
import { absent, always, empty, gated, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import type { Kind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { checkTokenSeconds } from '../shared/pod-spec/projected-volume.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'

const SPEC = FieldPath.root('spec')
const TYPE = 'storage.k8s.io_v1.CSIDriverSpec'
const LIFECYCLE_MODES: readonly string[] = ['Persistent', 'Ephemeral']

function checkDriverSpec(spec: ValueMap, check: Check): void {
  check.fields(spec, SPEC, TYPE, 'attachRequired', 'podInfoOnMount', 'storageCapacity', 'fsGroupPolicy')
  const audiences = new Set<string>()
  for (const [request, at] of placedMaps(spec, 'tokenRequests', SPEC)) {
    check.unique(audiences, textOrEmpty(request, 'audience'), at.child('audience'))
    const seconds = integerOrAbsent(request, 'expirationSeconds')
    if (seconds !== undefined) checkTokenSeconds(seconds, at.child('expirationSeconds'), check)
  }
  for (const mode of textsInPlace(spec, 'volumeLifecycleModes')) {
    check.oneOf(SPEC.child('volumeLifecycleModes'), mode, LIFECYCLE_MODES)
  }
  if (isGiven(spec, 'serviceAccountTokenInSecrets') && mapsInPlace(spec, 'tokenRequests').length === 0) {
    const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'
    check.invalid(SPEC.child('serviceAccountTokenInSecrets'), spec['serviceAccountTokenInSecrets'], detail)
  }
  check.fields(spec, SPEC, TYPE, 'seLinuxMount', 'nodeAllocatableUpdatePeriodSeconds')
}

/** Tokens are safer in secrets than in volume attributes. */
function driverWarnings(object: ApiObject, stored: ApiObject | undefined): readonly string[] {
  const spec = specOf(object)
  const asked = listOrEmpty(spec, 'tokenRequests')
  if (asked.length === 0 || Object.hasOwn(spec, 'serviceAccountTokenInSecrets')) return []
  if (stored !== undefined && equalValues(asked, own(specOf(stored), 'tokenRequests'))) return []
  const risk = 'to prevent possible logging of tokens in volume attributes'
  return [`spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true ${risk}`]
}

export const CSI_DRIVER: Kind = {
  validation: builtInRules({
    object: (object, check, stored) => {
      const name = metaText(object, 'name')
      if (stored === undefined && name !== '') checkDriverName(name, FieldPath.root('name'), check)
      checkDriverSpec(specOf(object), check)
    },
    change: (object, stored, check) => {
      const [spec, old] = [specOf(object), specOf(stored)]
      check.unchanged(SPEC.child('attachedRequired'), spec['attachRequired'], old['attachRequired'])
      check.unchangedFields({ object: spec, stored: old, at: SPEC }, TYPE)
    },
  }),
  defaults: within({
    spec: always({
      attachRequired: absent(true),
      podInfoOnMount: absent(false),
      storageCapacity: absent(false),
      fsGroupPolicy: absent('ReadWriteOnceWithFSType'),
      volumeLifecycleModes: empty(['Persistent']),
      requiresRepublish: absent(false),
      seLinuxMount: absent(false),
      preventPodSchedulingIfMissing: gated('VolumeLimitScaling', absent(false)),
    }),
  }),
  strategy: withGatedFields(gatedFields('storage.k8s.io_v1.CSIDriver', 'spec/preventPodSchedulingIfMissing'), {
    conditionalUpdate: true,
    generation: { first: 0, on: ['spec'] },
    answersDeleteWithObject: true,
    warnings: driverWarnings,
  }),
  columns: tableOf([
    NAME,
    boolean(
      'AttachRequired',
      'Whether volumes are attached before they are mounted.',
      (driver) => (at(driver, 'spec', 'attachRequired') ?? true) === true,
    ),
    boolean('PodInfoOnMount', 'Whether the driver is told about the pod.', (one) =>
      booleanAt(one, 'spec', 'podInfoOnMount'),
    ),
    boolean('StorageCapacity', 'Whether scheduling looks at capacity.', (one) =>
      booleanAt(one, 'spec', 'storageCapacity'),
    ),
    column('TokenRequests', 'The audiences of the tokens that the driver gets.', (driver) => {
      if (at(driver, 'spec', 'tokenRequests') === undefined) return '<unset>'
      const audiences = listAt(driver, 'spec', 'tokenRequests').map((request) => textAt(request, 'audience'))
      return audiences.join(',')
    }),
    boolean('RequiresRepublish', 'Whether mounts are renewed.', (one) => booleanAt(one, 'spec', 'requiresRepublish')),
    column('Modes', 'The life cycles of volumes that it serves.', (driver) =>
      orNone(textsAt(driver, 'spec', 'volumeLifecycleModes').join(',')),
    ),
    AGE,
  ]),
  olderVersions: { 'storage.k8s.io/v1beta1': 'same' },
}
