// Storage classes: how volumes are provisioned.
import { FieldPath } from '../../api/field-path.ts'
import { mapsInPlace, textOrEmpty, textsInPlace } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { AGE, column, NAME_DESCRIPTION, tableOf, text } from '../../codec/tables/column.ts'
import { booleanAt, textAt } from '../../codec/tables/reading.ts'
import { absent, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { nodeLabelFault } from '../shared/warnings.ts'
import { checkParameters, checkProvisioner } from './class-parameters.ts'

const TYPE = 'storage.k8s.io_v1.StorageClass'

function checkClass(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkProvisioner(object, 'provisioner', check)
  checkParameters(object, true, check)
  const reclaim = textOrEmpty(object, 'reclaimPolicy')
  if (reclaim !== '') check.oneOf(FieldPath.root('reclaimPolicy'), reclaim, ['Delete', 'Retain'])
  check.fields(object, undefined, TYPE, 'volumeBindingMode')
  checkTopologies(object, check)
}

function checkTopologies(object: ValueMap, check: Check): void {
  const seen = new Set<string>()
  for (const [i, term] of mapsInPlace(object, 'allowedTopologies').entries()) {
    const at = FieldPath.root('allowedTopologies').index(i)
    const keys = new Map<string, string>()
    for (const [expression, place] of placedMaps(term, 'matchLabelExpressions', at)) {
      check.fields(expression, place, 'core_v1.TopologySelectorLabelRequirement', 'values', 'key')
      const key = textOrEmpty(expression, 'key')
      if (keys.has(key)) check.duplicate(place.child('key'), key)
      keys.set(key, JSON.stringify([key, ...[...new Set(textsInPlace(expression, 'values'))].sort()]))
    }
    const form = JSON.stringify([...keys.values()].sort())
    // The reference reports an empty term as a duplicate.
    if (seen.has(form) || keys.size === 0) check.duplicate(at.child('matchLabelExpressions'), '')
    seen.add(form)
  }
}

function className(storage: ValueMap): string {
  const name = textAt(storage, 'metadata', 'name')
  const marks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']
  const isDefault = marks.some((mark) => textAt(storage, 'metadata', 'annotations', mark) === 'true')
  return isDefault ? `${name} (default)` : name
}

function orElse(field: string, absent: string): (storage: ValueMap) => string {
  return (storage) => textAt(storage, field) || absent
}

export const STORAGE_CLASS: Kind = {
  validation: {
    create: checkClass,
    update: (object, stored, check) => {
      checkClass(object, check)
      checkBuiltInMetaUpdate(object, stored, check)
      const fields = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']
      check.unchangedFields({ object, stored }, TYPE, ...fields)
    },
  },
  defaults: within({ reclaimPolicy: absent('Delete'), volumeBindingMode: absent('Immediate') }),
  strategy: {
    answersDeleteWithObject: true,
    // Deprecated node labels.
    warnings: (object) =>
      mapsInPlace(object, 'allowedTopologies').flatMap((term, i) =>
        mapsInPlace(term, 'matchLabelExpressions').flatMap((expression, j) => {
          const fault = nodeLabelFault(textOrEmpty(expression, 'key'))
          return fault === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${fault}`]
        }),
      ),
  },
  columns: tableOf([
    column('Name', NAME_DESCRIPTION, className, { format: 'name' }),
    column('Provisioner', 'What makes the volumes.', text('provisioner')),
    column('ReclaimPolicy', 'What happens to a volume after its claim.', orElse('reclaimPolicy', 'Delete')),
    column('VolumeBindingMode', 'When a claim gets its volume.', orElse('volumeBindingMode', 'Immediate')),
    column('AllowVolumeExpansion', 'Whether volumes can grow.', (one) => booleanAt(one, 'allowVolumeExpansion')),
    AGE,
  ]),
  olderVersions: { 'storage.k8s.io/v1beta1': 'same' },
}
