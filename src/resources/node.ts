// Nodes come with the status that the kubelet knows, and keep it on create (W-089).
import type { ApiObject } from '../api/object.ts'
import { isList, own } from '../api/value.ts'
import type { CharacterTraits } from './character.ts'
import { mapIn, mapsIn, textIn } from './members.ts'
import { addressWarnings } from './warnings.ts'

export const NODE: CharacterTraits = {
  firstStatus: (object) => own(object, 'status'),
  warnings: nodeWarnings,
}

function nodeWarnings(object: ApiObject): readonly string[] {
  const spec = mapIn(object, 'spec')
  const cidrs = own(spec, 'podCIDRs')
  return [
    ...(Object.hasOwn(spec, 'configSource') ? ['spec.configSource: the feature is no longer available'] : []),
    ...(textIn(spec, 'externalID') === ''
      ? []
      : [`spec.externalID: this field is deprecated, and is unused by Kubernetes`]),
    ...(isList(cidrs) ? cidrs.flatMap((cidr, i) => addressWarnings(`spec.podCIDRs[${i}]`, cidr, 'CIDR value')) : []),
    ...mapsIn(mapIn(object, 'status'), 'addresses').flatMap((address, i) =>
      textIn(address, 'type').endsWith('IP')
        ? addressWarnings(`status.addresses[${i}].address`, own(address, 'address'), 'address')
        : [],
    ),
  ]
}
