// CSI drivers: the abilities and needs of storage drivers.
import { FieldPath } from '../../api/field-path.ts'
import type { CSIDriver, CSIDriverSpec } from '../../api/gen/kinds.ts'
import { equalValues } from '../../api/value.ts'
import { AGE, boolean, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { orNone } from '../../codec/tables/reading.ts'
import { absent, always, empty, gated, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { checkTokenSeconds } from '../shared/pod-spec/projected-volume.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'

const SPEC = FieldPath.root<CSIDriverSpec>('spec')
const TYPE = 'storage.k8s.io_v1.CSIDriverSpec'
const LIFECYCLE_MODES: readonly string[] = ['Persistent', 'Ephemeral']

function checkDriverSpec(spec: CSIDriverSpec, check: Check): void {
  const { tokenRequests = [], volumeLifecycleModes = [], serviceAccountTokenInSecrets: inSecrets } = spec
  check.fields(spec, SPEC, TYPE, 'attachRequired', 'podInfoOnMount', 'storageCapacity', 'fsGroupPolicy')
  const audiences = new Set<string>()
  check.each(spec, 'tokenRequests', SPEC, ({ audience, expirationSeconds: seconds }, at) => {
    check.unique(audiences, audience, at.child('audience'))
    if (seconds !== undefined) checkTokenSeconds(seconds, at.child('expirationSeconds'), check)
  })
  for (const mode of volumeLifecycleModes) {
    check.oneOf(SPEC.child('volumeLifecycleModes'), mode, LIFECYCLE_MODES)
  }
  if (inSecrets !== undefined && tokenRequests.length === 0) {
    const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'
    check.invalid(SPEC.child('serviceAccountTokenInSecrets'), inSecrets, detail)
  }
  check.fields(spec, SPEC, TYPE, 'seLinuxMount', 'nodeAllocatableUpdatePeriodSeconds')
}

/** Tokens are safer in secrets than in volume attributes. */
function driverWarnings({ spec }: CSIDriver, stored: CSIDriver | undefined): readonly string[] {
  const { tokenRequests: asked = [], serviceAccountTokenInSecrets: inSecrets } = spec
  if (asked.length === 0 || inSecrets !== undefined) return []
  if (stored !== undefined && equalValues(asked, stored.spec.tokenRequests)) return []
  const risk = 'to prevent possible logging of tokens in volume attributes'
  return [`spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true ${risk}`]
}

export const CSI_DRIVER: Kind = typedKind<CSIDriver>({
  validation: builtInRules({
    object: (object, check, stored) => {
      const { name = '' } = object.metadata
      if (stored === undefined && name !== '') checkDriverName(name, FieldPath.root('name'), check)
      checkDriverSpec(object.spec, check)
    },
    change: ({ spec }, { spec: old }, check) => {
      check.unchanged(FieldPath.root('spec').child('attachedRequired'), spec.attachRequired, old.attachRequired)
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
  since: { '1.37': { fills: ['preventPodSchedulingIfMissing'] } },
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
      ({ spec }) => spec.attachRequired ?? true,
    ),
    boolean(
      'PodInfoOnMount',
      'Whether the driver gets information about the pod.',
      ({ spec }) => spec.podInfoOnMount ?? false,
    ),
    boolean(
      'StorageCapacity',
      'Whether the scheduler considers capacity.',
      ({ spec }) => spec.storageCapacity ?? false,
    ),
    column('TokenRequests', 'The audiences of the tokens that the driver gets.', ({ spec: { tokenRequests } }) =>
      tokenRequests === undefined ? '<unset>' : tokenRequests.map(({ audience }) => audience).join(','),
    ),
    boolean('RequiresRepublish', 'Whether mounts are renewed.', ({ spec }) => spec.requiresRepublish ?? false),
    column('Modes', 'The life cycles of volumes that the driver supports.', ({ spec }) =>
      orNone((spec.volumeLifecycleModes ?? []).join(',')),
    ),
    AGE,
  ]),
  olderVersions: { 'storage.k8s.io/v1beta1': 'same' },
})
