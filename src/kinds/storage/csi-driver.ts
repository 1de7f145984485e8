// Drivers of storage, as they tell of themselves.
import { FieldPath } from '../../api/field-path.ts'
import { integerOrAbsent, isGiven, mapOrEmpty, mapsInPlace, textOrEmpty, textsInPlace } from '../../api/members.ts'
import type { ApiObject } from '../../api/object.ts'
import { equalValues, isList, own, type ValueMap } from '../../api/value.ts'
import { AGE, boolean, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { at, booleanAt, listAt, orNone, textAt, textsAt } from '../../codec/tables/reading.ts'
import { absent, always, empty, gated, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { checkTokenSeconds } from '../shared/pod-spec/projected-volume.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'

const SPEC = FieldPath.root('spec')
const TYPE = 'storage.k8s.io_v1.CSIDriverSpec'
const LIFECYCLE_MODES: readonly string[] = ['Persistent', 'Ephemeral']

function checkDriverSpec(spec: ValueMap, check: Check): void {
  check.fields(spec, SPEC, TYPE, 'attachRequired', 'podInfoOnMount', 'storageCapacity', 'fsGroupPolicy')
  const audiences = new Set<string>()
  for (const [i, request] of mapsInPlace(spec, 'tokenRequests').entries()) {
    const at = SPEC.child('tokenRequests').index(i)
    const audience = textOrEmpty(request, 'audience')
    check.unique(audiences, audience, at.child('audience'))
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

/** Whoever asks for tokens is told of a safer place for them. */
function driverWarnings(object: ApiObject, stored: ApiObject | undefined): readonly string[] {
  const spec = mapOrEmpty(object, 'spec')
  const asked = own(spec, 'tokenRequests') ?? null
  if (!isList(asked) || asked.length === 0 || Object.hasOwn(spec, 'serviceAccountTokenInSecrets')) return []
  if (stored !== undefined && equalValues(asked, own(mapOrEmpty(stored, 'spec'), 'tokenRequests') ?? null)) return []
  const risk = 'to prevent possible logging of tokens in volume attributes'
  return [`spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true ${risk}`]
}

export const CSI_DRIVER: Kind = {
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      const name = textOrEmpty(mapOrEmpty(object, 'metadata'), 'name')
      if (name !== '') checkDriverName(name, FieldPath.root('name'), check)
      checkDriverSpec(mapOrEmpty(object, 'spec'), check)
    },
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      const [spec, old] = [mapOrEmpty(object, 'spec'), mapOrEmpty(stored, 'spec')]
      checkDriverSpec(spec, check)
      check.unchanged(SPEC.child('attachedRequired'), spec['attachRequired'], old['attachRequired'])
      check.unchangedFields({ object: spec, stored: old, at: SPEC }, TYPE)
    },
  },
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
    boolean('AttachRequired', 'Whether volumes are attached before they are mounted.', (driver) => {
      const required = at(driver, 'spec', 'attachRequired')
      return required === undefined || required === true
    }),
    boolean('PodInfoOnMount', 'Whether the driver is told about the pod.', (one) =>
      booleanAt(one, 'spec', 'podInfoOnMount'),
    ),
    boolean('StorageCapacity', 'Whether scheduling looks at capacity.', (one) =>
      booleanAt(one, 'spec', 'storageCapacity'),
    ),
    column('TokenRequests', 'The audiences of the tokens that the driver gets.', (driver) => {
      const requests = at(driver, 'spec', 'tokenRequests')
      return requests === undefined
        ? '<unset>'
        : listAt(requests)
            .map((request) => textAt(request, 'audience'))
            .join(',')
    }),
    boolean('RequiresRepublish', 'Whether mounts are renewed.', (one) => booleanAt(one, 'spec', 'requiresRepublish')),
    column('Modes', 'The life cycles of volumes that it serves.', (driver) =>
      orNone(textsAt(driver, 'spec', 'volumeLifecycleModes').join(',')),
    ),
    AGE,
  ]),
  olderVersions: { 'storage.k8s.io/v1beta1': 'same' },
}
