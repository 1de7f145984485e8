// Volume attributes classes.
import { FieldPath } from '../../api/field-path.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { checkParameters, checkProvisioner } from './class-parameters.ts'

function checkAttributes(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkProvisioner(object, 'driverName', check)
  checkParameters(object, false, check)
}

export const VOLUME_ATTRIBUTES_CLASS: Kind = {
  validation: {
    create: checkAttributes,
    update: (object, stored, check) => {
      checkAttributes(object, check)
      checkBuiltInMetaUpdate(object, stored, check)
      for (const field of ['driverName', 'parameters']) {
        if (!equalValues(object[field] ?? null, stored[field] ?? null)) {
          check.forbidden(FieldPath.root(field), `updates to ${field} are forbidden.`)
        }
      }
    },
  },
  strategy: { answersDeleteWithObject: true },
  columns: tableOf([NAME, column('DriverName', 'The driver that knows the attributes.', text('driverName')), AGE]),
  olderVersions: { 'storage.k8s.io/v1alpha1': 'same', 'storage.k8s.io/v1beta1': 'same' },
}
