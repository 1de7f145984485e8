// Service CIDRs: the ranges of the cluster IPs.
import { shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrEmpty, textsInPlace } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { textsAt } from '../../codec/tables/reading.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { canonicalCidrFaults, checkCidr, parseCidr } from '../shared/ip-address.ts'
import { placedTexts } from '../shared/placed-items.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'

const SPEC = FieldPath.root('spec')
const RANGES = SPEC.child('cidrs')

function checkRanges(spec: ValueMap, check: Check): void {
  const ranges = textsInPlace(spec, 'cidrs')
  check.fields(spec, SPEC, 'networking.k8s.io_v1.ServiceCIDRSpec')
  if (ranges.length > 2) {
    check.invalid(RANGES, shownJson({ CIDRs: ranges }), 'may only hold up to 2 values')
    return
  }
  for (const [range, at] of placedTexts(spec, 'cidrs', SPEC)) {
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

export const SERVICE_CIDR: Kind = {
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      checkRanges(mapOrEmpty(object, 'spec'), check)
    },
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      const spec = mapOrEmpty(object, 'spec')
      const ranges = textsInPlace(spec, 'cidrs')
      const old = textsInPlace(mapOrEmpty(stored, 'spec'), 'cidrs')
      const grows = old.length === 1 && ranges.length === 2
      if (ranges.length !== old.length && !grows) {
        check.invalid(RANGES, isGiven(spec, 'cidrs') ? ranges : undefined, IMMUTABLE)
        return
      }
      old.forEach((range, i) => check.unchanged(RANGES.index(i), ranges[i], range))
      if (grows) checkRanges(spec, check)
    },
    subresources: { status: checkBuiltInMetaUpdate },
  },
  strategy: { status: WITH_STATUS_ALONE },
  columns: tableOf([
    NAME,
    column('CIDRs', 'The ranges of addresses.', (range) => textsAt(range, 'spec', 'cidrs').join(',')),
    AGE,
  ]),
  olderVersions: { 'networking.k8s.io/v1beta1': 'same' },
}
