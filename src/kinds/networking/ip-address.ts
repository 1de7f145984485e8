// IP addresses and the objects that they are allocated to.
import { FieldPath } from '../../api/field-path.ts'
import { mapOrAbsent } from '../../api/members.ts'
import { specOf } from '../../api/object-members.ts'
import type { ValueMap } from '../../api/value.ts'
import { ageOfObject, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { at, textAt } from '../../codec/tables/reading.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { canonicalIpFaults } from '../shared/ip-address.ts'

const SPEC = FieldPath.root('spec')
const TYPE = 'networking.k8s.io_v1.IPAddressSpec'

function checkAddress(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, canonicalIpFaults, check)
  const spec = specOf(object)
  check.fields(spec, SPEC, TYPE)
  const parent = mapOrAbsent(spec, 'parentRef')
  if (parent === undefined) return
  const at = SPEC.child('parentRef')
  check.fields(parent, at, 'networking.k8s.io_v1.ParentReference', 'group', 'resource', 'name', 'namespace')
}

function addressParent(address: ValueMap): string {
  const parent = at(address, 'spec', 'parentRef')
  if (parent === undefined) return '<none>'
  const group = textAt(parent, 'group')
  const resource = `${textAt(parent, 'resource')}${group === '' ? '' : `.${group}`}`.toLowerCase()
  const namespace = textAt(parent, 'namespace')
  return [resource, ...(namespace === '' ? [] : [namespace]), textAt(parent, 'name')].join('/')
}

export const IP_ADDRESS: Kind = {
  validation: {
    create: checkAddress,
    update: (object, stored, check) => {
      checkAddress(object, check)
      checkBuiltInMetaUpdate(object, stored, check)
      check.unchangedFields({ object: specOf(object), stored: specOf(stored), at: SPEC }, TYPE)
    },
  },
  columns: tableOf([NAME, column('ParentRef', 'What the address belongs to.', addressParent)], ageOfObject),
  olderVersions: { 'networking.k8s.io/v1beta1': 'same' },
}
