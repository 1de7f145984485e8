// Storage classes: how volumes are provisioned.
import { FieldPath } from '../../api/field-path.ts'
import type { StorageClass } from '../../api/gen/kinds.ts'
import { own } from '../../api/value.ts'
import { AGE, column, NAME_DESCRIPTION, tableOf } from '../../codec/tables/column.ts'
import { absent, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { nodeLabelFault } from '../shared/warnings.ts'
import { checkParameters, checkProvisioner } from './class-parameters.ts'

const TYPE = 'storage.k8s.io_v1.StorageClass'

function checkClass(object: StorageClass, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const { provisioner, parameters, reclaimPolicy: reclaim = '' } = object
  checkProvisioner(provisioner, FieldPath.root('provisioner'), check)
  checkParameters(parameters, true, check)
  if (reclaim !== '') check.oneOf(FieldPath.root('reclaimPolicy'), reclaim, ['Delete', 'Retain'])
  check.fields(object, undefined, TYPE, 'volumeBindingMode')
  checkTopologies(object, check)
}

function checkTopologies({ allowedTopologies = [] }: StorageClass, check: Check): void {
  const seen = new Set<string>()
  for (const [i, term] of allowedTopologies.entries()) {
    const at = FieldPath.root('allowedTopologies').index(i)
    const keys = new Map<string, string>()
    check.each(term, 'matchLabelExpressions', at, (expression, place) => {
      check.fields(expression, place, 'core_v1.TopologySelectorLabelRequirement', 'values', 'key')
      const { key, values } = expression
      if (keys.has(key)) check.duplicate(place.child('key'), key)
      keys.set(key, JSON.stringify([key, ...[...new Set(values)].sort()]))
    })
    const form = JSON.stringify([...keys.values()].sort())
    // The reference reports an empty term as a duplicate.
    if (seen.has(form) || keys.size === 0) check.duplicate(at.child('matchLabelExpressions'), '')
    seen.add(form)
  }
}

function className({ metadata: { name = '', annotations = {} } }: StorageClass): string {
  const marks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']
  const isDefault = marks.some((mark) => own(annotations, mark) === 'true')
  return isDefault ? `${name} (default)` : name
}

export const STORAGE_CLASS: Kind = typedKind<StorageClass>({
  validation: {
    create: checkClass,
    update: (object, stored, check) => {
      checkClass(object, check)
      checkBuiltInMetaUpdate(object, stored, check)
      const fields = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const
      check.unchangedFields({ object, stored }, TYPE, ...fields)
    },
  },
  defaults: within({ reclaimPolicy: absent('Delete'), volumeBindingMode: absent('Immediate') }),
  strategy: {
    answersDeleteWithObject: true,
    // Deprecated node labels.
    warnings: ({ allowedTopologies = [] }) =>
      allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
        matchLabelExpressions.flatMap(({ key }, j) => {
          const fault = nodeLabelFault(key)
          return fault === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${fault}`]
        }),
      ),
  },
  columns: tableOf([
    column('Name', NAME_DESCRIPTION, className, { format: 'name' }),
    column('Provisioner', 'What makes the volumes.', (one) => one.provisioner),
    column('ReclaimPolicy', 'What happens to a volume after its claim.', (one) => one.reclaimPolicy || 'Delete'),
    column('VolumeBindingMode', 'When a claim gets its volume.', (one) => one.volumeBindingMode || 'Immediate'),
    column('AllowVolumeExpansion', 'Whether volumes can grow.', (one) => one.allowVolumeExpansion ?? false),
    AGE,
  ]),
  olderVersions: { 'storage.k8s.io/v1beta1': 'same' },
})
