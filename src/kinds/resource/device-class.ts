// Device classes.
import { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrEmpty, textOrEmpty } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { AGE, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { isExtended } from '../shared/resource-names.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'
import { checkConfiguration, checkSelectors, MAX_ITEMS } from './claim-spec.ts'
import { checkMaps } from './device-names.ts'

const SPEC = FieldPath.root('spec')

function checkClass(object: ValueMap, check: Check): void {
  const spec = mapOrEmpty(object, 'spec')
  checkSelectors(spec, SPEC, check)
  checkMaps(spec, 'config', SPEC, { check, max: MAX_ITEMS, item: checkConfiguration })
  const name = textOrEmpty(spec, 'extendedResourceName')
  if (isGiven(spec, 'extendedResourceName') && !isExtended(name)) {
    check.invalid(SPEC.child('extendedResourceName'), name, 'must be a valid extended resource name')
  }
}

export const DEVICE_CLASS: Kind = {
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
  olderVersions: { 'resource.k8s.io/v1beta1': 'same', 'resource.k8s.io/v1beta2': 'same' },
}
