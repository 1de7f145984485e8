// Service CIDRs: the ranges of the cluster IPs.
import { shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type { ServiceCIDR, ServiceCIDRSpec } from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { parseCidr } from '../../lib/ip-bits.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { canonicalCidrFaults, checkCidr } from '../shared/ip-address.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'

const SPEC = FieldPath.root<ServiceCIDRSpec>('spec')
const RANGES = SPEC.child('cidrs')

function checkRanges(spec: ServiceCIDRSpec, check: Check): void {
  const { cidrs: ranges = [] } = spec
  check.fields(spec, SPEC, 'networking.k8s.io_v1.ServiceCIDRSpec')
  if (ranges.length > 2) {
    check.invalid(RANGES, shownJson({ CIDRs: ranges }), 'may only hold up to 2 values')
    return
  }
  for (const [i, range] of ranges.entries()) {
    const at = RANGES.index(i)
    const before = check.errors.length
    checkCidr(range, at, check)
    if (check.errors.length === before) check.format(at, range, canonicalCidrFaults(range))
  }
  const [first, second] = ranges.map((range) => parseCidr(range)?.address.family)
  if (first !== undefined && first === second) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'
    check.invalid(RANGES, ranges, detail)
  }
}

export const SERVICE_CIDR: Kind = typedKind<ServiceCIDR>({
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      checkRanges(object.spec, check)
    },
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      const { cidrs: ranges = [] } = object.spec
      const { cidrs: old = [] } = stored.spec
      const grows = old.length === 1 && ranges.length === 2
      if (ranges.length !== old.length && !grows) {
        check.invalid(RANGES, object.spec.cidrs, IMMUTABLE)
        return
      }
      old.forEach((range, i) => check.unchanged(RANGES.index(i), ranges[i], range))
      if (grows) checkRanges(object.spec, check)
    },
    subresources: { status: checkBuiltInMetaUpdate },
  },
  strategy: { status: WITH_STATUS_ALONE },
  columns: tableOf([
    NAME,
    column('CIDRs', 'The ranges of addresses.', ({ spec }) => (spec.cidrs ?? []).join(',')),
    AGE,
  ]),
})
