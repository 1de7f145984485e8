// What services are read as that were stored before they had the fields for it. Our own are stored with them.
import { textOrEmpty, textsOnly } from '../../../api/members.ts'
import { specOf, withSpec } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import type { ValueMap } from '../../../api/value.ts'
import { familyOf, type IpFamily } from './address-range.ts'
import { isBare, OTHER_FAMILY } from './families.ts'
import { isExternalName, NO_ADDRESS } from './fields.ts'

/** Services had one address before they had a list of them; some that lead elsewhere by name have a policy that means nothing. */
function withAddresses(service: ApiObject): ApiObject {
  const spec = specOf(service)
  const address = textOrEmpty(spec, 'clusterIP')
  const isListed = address === '' || textsOnly(spec, 'clusterIPs').length > 0
  return withSpec(service, {
    ...(isListed ? {} : { clusterIPs: [address] }),
    ...(isExternalName(spec) ? { internalTrafficPolicy: undefined } : {}),
  })
}

function withFamilies(service: ApiObject, family: IpFamily): ApiObject {
  const spec = specOf(service)
  if (isExternalName(spec) || textsOnly(spec, 'ipFamilies').length > 0) return service
  const ipFamilies = familiesOf(spec, family)
  const policy = POLICIES[ipFamilies.length]
  return withSpec(service, {
    ...(ipFamilies.length === 0 ? {} : { ipFamilies }),
    ...(policy === undefined ? {} : { ipFamilyPolicy: policy }),
  })
}

/** By how many families there are. */
const POLICIES: readonly (string | undefined)[] = [undefined, 'SingleStack', 'RequireDualStack']

function familiesOf(spec: ValueMap, family: IpFamily): readonly IpFamily[] {
  if (textOrEmpty(spec, 'clusterIP') === NO_ADDRESS) return isBare(spec) ? [family, OTHER_FAMILY[family]] : [family]
  return textsOnly(spec, 'clusterIPs').map((address) => familyOf(address) ?? family)
}

export function readAnew(service: ApiObject, family: IpFamily): ApiObject {
  return withFamilies(withAddresses(service), family)
}
