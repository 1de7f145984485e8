// Addresses that belong to something, a service mostly.
import { FieldPath } from '../../api/field-path.ts'
import type { ValueMap } from '../../api/value.ts'
import { ageOfObject, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { at, textAt } from '../../codec/tables/reading.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain, pathSegment } from '../../schema/validation/formats.ts'
import { partIn, partOf, textOf } from '../../schema/validation/members.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { canonicalIpFaults } from '../shared/ip-address.ts'

const SPEC = FieldPath.root('spec')

function checkParent(object: ValueMap, check: Check): void {
  const parent = partIn(partOf(object, 'spec'), 'parentRef')
  const at = SPEC.child('parentRef')
  if (parent === undefined) {
    check.required(at)
    return
  }
  const group = textOf(parent, 'group')
  if (group !== '') check.format(at.child('group'), group, dns1123Subdomain(group))
  for (const field of ['resource', 'name', 'namespace']) {
    const word = textOf(parent, field)
    if (word !== '') check.format(at.child(field), word, pathSegment(word))
    else if (field !== 'namespace') check.required(at.child(field))
  }
}

function checkAddress(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, canonicalIpFaults, check)
  checkParent(object, check)
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
      check.unchanged(SPEC.child('parentRef'), partOf(object, 'spec')['parentRef'], partOf(stored, 'spec')['parentRef'])
    },
  },
  columns: tableOf([NAME, column('ParentRef', 'What the address belongs to.', addressParent)], ageOfObject),
  olderVersions: { 'networking.k8s.io/v1beta1': 'same' },
}
