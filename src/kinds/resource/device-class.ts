// Device classes: selectors and configurations for devices.
import { FieldPath } from '../../api/field-path.ts'
import type { DeviceClass } from '../../api/gen/kinds.ts'
import { AGE, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { isExtended } from '../shared/resource-names.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'
import { checkConfiguration, checkSelectors, MAX_ITEMS } from './claim-spec.ts'
import { checkList } from './device-names.ts'

const SPEC = FieldPath.root<DeviceClass['spec']>('spec')

function checkClass({ spec }: DeviceClass, check: Check): void {
  checkSelectors(spec, SPEC, check)
  checkList(spec.config ?? [], SPEC.child('config'), { check, max: MAX_ITEMS, item: checkConfiguration })
  const { extendedResourceName: name } = spec
  if (name !== undefined && !isExtended(name)) {
    check.invalid(SPEC.child('extendedResourceName'), name, 'must be a valid extended resource name')
  }
}

export const DEVICE_CLASS: Kind = typedKind<DeviceClass>({
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      checkClass(object, check)
    },
    update: (object, stored, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      checkBuiltInMetaUpdate(object, stored, check)
      checkClass(object, check)
    },
  },
  strategy: { generation: GENERATION_OF_SPEC, answersDeleteWithObject: true },
  columns: tableOf([NAME, AGE]),
})
