// The IP families of a service, from its request and the families of the cluster (W-545, W-555).
import { type FieldError, invalid, shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { Service, ServiceSpec } from '../../../api/gen/kinds.ts'
import { withSpec } from '../../../api/object-members.ts'
import type { IpFamily } from '../../../lib/ip-bits.ts'
import { familyOf } from './address-range.ts'
import { isExternalName, NO_ADDRESS } from './fields.ts'

const SPEC = FieldPath.root<ServiceSpec>('spec')
const POLICY = SPEC.child('ipFamilyPolicy')
const OTHER_FAMILY: Readonly<Record<IpFamily, IpFamily>> = { IPv4: 'IPv6', IPv6: 'IPv4' }

/**
 * The policy defaults to the stored policy. Otherwise it is RequireDualStack for a headless service without a selector, and SingleStack for
 * others.
 */
export function withPolicy(spec: ServiceSpec, old: ServiceSpec | undefined): ServiceSpec {
  if (isExternalName(spec) || spec.ipFamilyPolicy !== undefined) return spec
  const before = old?.ipFamilyPolicy ?? ''
  const policy = before !== '' ? before : isHeadlessWithoutSelector(spec) ? 'RequireDualStack' : 'SingleStack'
  return { ...spec, ipFamilyPolicy: policy }
}

/** Whether the service is headless and has no selector. Such a service may have families that the cluster does not have. */
function isHeadlessWithoutSelector(spec: ServiceSpec): boolean {
  return (spec.clusterIP ?? '') === NO_ADDRESS && Object.keys(spec.selector ?? {}).length === 0
}

type WithFamilies =
  | { readonly kind: 'spec'; readonly spec: ServiceSpec }
  | { readonly kind: 'faults'; readonly faults: readonly FieldError[] }

/** `configured`: the families of the cluster, the default family first. The spec must have a policy and well-formed addresses. */
export function withFamilies(spec: ServiceSpec, configured: readonly IpFamily[]): WithFamilies {
  if (isExternalName(spec)) return { kind: 'spec', spec }
  const policy = spec.ipFamilyPolicy ?? ''
  const addresses = spec.clusterIPs ?? []
  const given = spec.ipFamilies ?? []
  const faults: FieldError[] = []
  if (policy === 'SingleStack') {
    const detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"
    if (addresses.length === 2) faults.push(invalid(POLICY, policy, `${detail} cluster IPs are specified`))
    if (given.length === 2) faults.push(invalid(POLICY, policy, `${detail} IP families are specified`))
  }
  const families = [...given]
  for (const [i, address] of addresses.entries()) {
    if (address === NO_ADDRESS) break
    const family = familyOf(address) ?? 'IPv4'
    if (i < families.length) continue
    if (configured.includes(family)) families.push(family)
    else {
      const at = SPEC.child('clusterIPs').index(i)
      faults.push(invalid(at, shownJson(addresses), `${family} is not configured on this cluster`))
    }
  }
  if (faults.length > 0) return { kind: 'faults', faults }
  const isSingle = policy === 'SingleStack'
  if (isHeadlessWithoutSelector(spec)) {
    const [first = configured[0]!, ...more] = families
    const all = isSingle || more.length > 0 ? [first, ...more] : [first, OTHER_FAMILY[first as IpFamily]]
    return { kind: 'spec', spec: { ...spec, ipFamilies: all } }
  }
  if (policy === 'RequireDualStack' && configured.length < 2) {
    faults.push(invalid(POLICY, policy, 'this cluster is not configured for dual-stack services'))
  }
  for (const [i, family] of families.entries()) {
    if ((configured as readonly string[]).includes(family)) continue
    faults.push(invalid(SPEC.child('ipFamilies').index(i), family, 'not configured on this cluster'))
  }
  if (faults.length > 0) return { kind: 'faults', faults }
  const first = families[0] ?? configured[0]!
  const all = families.length > 1 ? families : [first]
  const isDual = !isSingle && all.length === 1 && configured.length === 2
  return { kind: 'spec', spec: { ...spec, ipFamilies: isDual ? [first, OTHER_FAMILY[first as IpFamily]] : all } }
}

/**
 * Completes the address list: older services have one address and no list. Drops the internal traffic policy of services with an external
 * name: it has no meaning there.
 */
function withAddresses(service: Service): Service {
  const spec = service.spec
  const address = spec.clusterIP ?? ''
  const isListed = address === '' || (spec.clusterIPs ?? []).length > 0
  return withSpec(service, {
    ...(isListed ? {} : { clusterIPs: [address] }),
    ...(isExternalName(spec) ? { internalTrafficPolicy: undefined } : {}),
  })
}

function withStoredFamilies(service: Service, family: IpFamily): Service {
  const spec = service.spec
  if (isExternalName(spec) || (spec.ipFamilies ?? []).length > 0) return service
  const ipFamilies = familiesOf(spec, family)
  const policy = POLICIES[ipFamilies.length]
  return withSpec(service, {
    ...(ipFamilies.length === 0 ? {} : { ipFamilies }),
    ...(policy === undefined ? {} : { ipFamilyPolicy: policy }),
  })
}

/** The policy, by the number of families. */
const POLICIES: readonly (string | undefined)[] = [undefined, 'SingleStack', 'RequireDualStack']

function familiesOf(spec: ServiceSpec, family: IpFamily): readonly IpFamily[] {
  if ((spec.clusterIP ?? '') === NO_ADDRESS)
    return isHeadlessWithoutSelector(spec) ? [family, OTHER_FAMILY[family]] : [family]
  return (spec.clusterIPs ?? []).map((address) => familyOf(address) ?? family)
}

/** Fills in the families of a service that was stored before these fields existed. This server stores services with these fields. */
export function defaultOnRead(service: Service, family: IpFamily): Service {
  return withStoredFamilies(withAddresses(service), family)
}
