// Volume attributes classes: changeable attributes of the volumes of a driver.
import { FieldPath } from '../../api/field-path.ts'
import type { VolumeAttributesClass } from '../../api/gen/kinds.ts'
import { equalValues } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkedAgain } from '../shared/built-in-rules.ts'
import { checkParameters, checkProvisioner } from './class-parameters.ts'

function checkAttributes(object: VolumeAttributesClass, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkProvisioner(object.driverName, FieldPath.root('driverName'), check)
  checkParameters(object.parameters, false, check)
}

export const VOLUME_ATTRIBUTES_CLASS: Kind = typedKind<VolumeAttributesClass>({
  validation: checkedAgain(checkAttributes, (object, stored, check) => {
    for (const field of ['driverName', 'parameters'] as const) {
      if (!equalValues(object[field], stored[field])) {
        check.forbidden(FieldPath.root(field), `updates to ${field} are forbidden.`)
      }
    }
  }),
  strategy: { answersDeleteWithObject: true },
  columns: tableOf([NAME, column('DriverName', 'The driver that knows the attributes.', (one) => one.driverName), AGE]),
  olderVersions: { 'storage.k8s.io/v1alpha1': 'same' },
})
