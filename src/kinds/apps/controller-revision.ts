// Controller revisions: earlier states of a workload, for rollbacks.
import { FieldPath } from '../../api/field-path.ts'
import { parseGroupVersion } from '../../api/object.ts'
import { isMap, type ValueMap } from '../../api/value.ts'
import { AGE, column, count, NAME, tableOf } from '../../codec/tables/column.ts'
import { at, listAt, textAt } from '../../codec/tables/reading.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'

const DATA = FieldPath.root('data')

function checkRevision(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  check.fields(object, undefined, 'apps_v1.ControllerRevision', 'revision')
}

function controller(revision: ValueMap): string {
  const owner = listAt(revision, 'metadata', 'ownerReferences').find((one) => at(one, 'controller') === true)
  if (owner === undefined) return '<none>'
  const group = parseGroupVersion(textAt(owner, 'apiVersion'))?.group ?? ''
  const kind = textAt(owner, 'kind')
  return `${(group === '' ? kind : `${kind}.${group}`).toLowerCase()}/${textAt(owner, 'name')}`
}

export const CONTROLLER_REVISION: Kind = {
  validation: {
    create: (object, check) => {
      checkRevision(object, check)
      const data = object['data']
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
    column('Controller', 'Whose state it keeps.', controller),
    column('Revision', 'The number of the state.', count('revision')),
    AGE,
  ]),
  olderVersions: { 'apps/v1beta1': 'same', 'apps/v1beta2': 'same' },
}
