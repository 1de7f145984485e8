// IP addresses and the objects that they are allocated to.
import { FieldPath } from '../../api/field-path.ts'
import type { IPAddress, IPAddressSpec } from '../../api/gen/kinds.ts'
import { ageOfObject, column, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkedAgain } from '../shared/built-in-rules.ts'
import { canonicalIpFaults } from '../shared/ip-address.ts'

const SPEC = FieldPath.root<IPAddressSpec>('spec')
const TYPE = 'networking.k8s.io_v1.IPAddressSpec'

function checkAddress(object: IPAddress, check: Check): void {
  checkBuiltInMeta(object, canonicalIpFaults, check)
  check.fields(object.spec, SPEC, TYPE)
  check.part(object.spec, 'parentRef', SPEC, (parent, at) =>
    check.fields(parent, at, 'networking.k8s.io_v1.ParentReference', 'group', 'resource', 'name', 'namespace'),
  )
}

function addressParent({ spec: { parentRef } }: IPAddress): string {
  if (parentRef === undefined) return '<none>'
  const { group = '', resource = '', namespace = '', name = '' } = parentRef
  const shown = `${resource}${group === '' ? '' : `.${group}`}`.toLowerCase()
  return [shown, ...(namespace === '' ? [] : [namespace]), name].join('/')
}

export const IP_ADDRESS: Kind = typedKind<IPAddress>({
  validation: checkedAgain(checkAddress, ({ spec: object }, { spec: stored }, check) =>
    check.unchangedFields({ object, stored, at: SPEC }, TYPE),
  ),
  columns: tableOf([NAME, column('ParentRef', 'The object that the address belongs to.', addressParent)], ageOfObject),
})
