// Storage classes: how volumes are provisioned.
import { FieldPath } from '../../api/field-path.ts'
import type { StorageClass } from '../../api/gen/kinds.ts'
import { own } from '../../api/value.ts'
import { AGE, column, NAME_DESCRIPTION, tableOf, type TableShape } from '../../codec/tables/column.ts'
import { absent, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkedAgain } from '../shared/built-in-rules.ts'
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

const MARKS: readonly string[] = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

function isMarked({ metadata: { annotations = {} } }: StorageClass): boolean {
  return MARKS.some((mark) => own(annotations, mark) === 'true')
}

/** The newest of the marked classes. Of classes of equal age, the first by name. */
function defaultOf(classes: readonly StorageClass[]): StorageClass | undefined {
  const madeAt = ({ metadata }: StorageClass): number => Date.parse(metadata.creationTimestamp ?? '') || 0
  const nameOf = ({ metadata }: StorageClass): string => metadata.name ?? ''
  const isBefore = (a: StorageClass, b: StorageClass): boolean =>
    madeAt(a) === madeAt(b) ? nameOf(a) < nameOf(b) : madeAt(a) > madeAt(b)
  return classes
    .filter(isMarked)
    .reduce<StorageClass | undefined>(
      (first, one) => (first === undefined || isBefore(one, first) ? one : first),
      undefined,
    )
}

function columnsWith(isDefault: (object: StorageClass) => boolean): TableShape<StorageClass> {
  const className = (object: StorageClass): string => {
    const { name = '' } = object.metadata
    return isDefault(object) ? `${name} (default)` : name
  }
  return tableOf([
    column('Name', NAME_DESCRIPTION, className, { format: 'name' }),
    column('Provisioner', 'The provisioner of the volumes.', (one) => one.provisioner),
    column(
      'ReclaimPolicy',
      'The treatment of a volume after its claim is deleted.',
      (one) => one.reclaimPolicy || 'Delete',
    ),
    column(
      'VolumeBindingMode',
      'The time at which a claim gets its volume.',
      (one) => one.volumeBindingMode || 'Immediate',
    ),
    column('AllowVolumeExpansion', 'Whether volumes can grow.', (one) => one.allowVolumeExpansion ?? false),
    AGE,
  ])
}

/** Only the one default class of a list is shown as the default. */
const COLUMNS: TableShape<StorageClass> = {
  ...columnsWith(() => false),
  ofList: (classes) => {
    const { name } = defaultOf(classes)?.metadata ?? {}
    return columnsWith(({ metadata }) => name !== undefined && metadata.name === name)
  },
}

export const STORAGE_CLASS: Kind = typedKind<StorageClass>({
  validation: checkedAgain(checkClass, (object, stored, check) => {
    const fields = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const
    check.unchangedFields({ object, stored }, TYPE, ...fields)
  }),
  defaults: within({ reclaimPolicy: absent('Delete'), volumeBindingMode: absent('Immediate') }),
  strategy: {
    answersDeleteWithObject: true,
    // The warnings are about deprecated node labels.
    warnings: ({ allowedTopologies = [] }) =>
      allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
        matchLabelExpressions.flatMap(({ key }, j) => {
          const fault = nodeLabelFault(key)
          return fault === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${fault}`]
        }),
      ),
  },
  columns: columnsWith(isMarked),
  since: { '1.37': { columns: COLUMNS } },
  olderVersions: { 'storage.k8s.io/v1beta1': 'same' },
})
