// Nodes come with the status that the kubelet knows, and keep it on create (W-089); only how they would be configured from
// here, which is gone, stays where it still is and comes nowhere else.
import type { ApiObject } from '../../api/object.ts'
import { isList, own } from '../../api/value.ts'
import type { KindStrategy } from '../strategy.ts'
import { mapIn, withMembers, withSpec } from '../shared/members.ts'
import { textOf } from '../../schema/validation/members.ts'
import { addressWarnings } from '../shared/warnings.ts'

export const NODE: KindStrategy = {
  prepareForCreate: (object) =>
    Object.hasOwn(mapIn(object, 'spec'), 'configSource') ? withSpec(object, { configSource: undefined }) : object,
  firstStatus: (object) => withMembers(mapIn(object, 'status'), { config: undefined }),
  prepareForUpdate: (object, stored) =>
    Object.hasOwn(mapIn(stored, 'spec'), 'configSource') ? object : withSpec(object, { configSource: undefined }),
  prepareStatus: (object, stored) =>
    Object.hasOwn(mapIn(stored, 'status'), 'config')
      ? object
      : { ...object, status: withMembers(mapIn(object, 'status'), { config: undefined }) },
  warnings: nodeWarnings,
}

function nodeWarnings(object: ApiObject): readonly string[] {
  const spec = mapIn(object, 'spec')
  const cidrs = own(spec, 'podCIDRs')
  return [
    ...(Object.hasOwn(spec, 'configSource') ? ['spec.configSource: the feature is no longer available'] : []),
    ...(textOf(spec, 'externalID') === ''
      ? []
      : [`spec.externalID: this field is deprecated, and is unused by Kubernetes`]),
    ...(isList(cidrs) ? cidrs.flatMap((cidr, i) => addressWarnings(`spec.podCIDRs[${i}]`, cidr, 'CIDR value')) : []),
  ]
}
