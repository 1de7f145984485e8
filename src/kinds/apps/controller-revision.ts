// Controller revisions: earlier states of a workload, for rollbacks.
import { FieldPath } from '../../api/field-path.ts'
import type { ControllerRevision } from '../../api/gen/kinds.ts'
import { parseGroupVersion } from '../../api/object.ts'
import { isMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'

const DATA = FieldPath.root('data')

function checkRevision(object: ControllerRevision, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  check.fields(object, undefined, 'apps_v1.ControllerRevision', 'revision')
}

function controller({ metadata: { ownerReferences = [] } }: ControllerRevision): string {
  const owner = ownerReferences.find((one) => one.controller === true)
  if (owner === undefined) return '<none>'
  const { apiVersion, kind, name } = owner
  const group = parseGroupVersion(apiVersion)?.group ?? ''
  return `${(group === '' ? kind : `${kind}.${group}`).toLowerCase()}/${name}`
}

export const CONTROLLER_REVISION: Kind = typedKind<ControllerRevision>({
  validation: {
    create: (object, check) => {
      checkRevision(object, check)
      const { data } = object
      if (data === undefined || data === null) check.required(DATA, 'data is mandatory')
      else if (!isMap(data)) check.required(DATA, 'data must be a valid JSON object')
    },
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkRevision(object, check)
      check.unchangedFields({ object, stored }, 'apps_v1.ControllerRevision')
    },
  },
  columns: tableOf([
    NAME,
    column('Controller', 'The workload of the state.', controller),
    column('Revision', 'The number of the state.', ({ revision }) => revision),
    AGE,
  ]),
  olderVersions: { 'apps/v1beta1': 'same', 'apps/v1beta2': 'same' },
})
