// What a client is told about a service that is taken all the same.
import type { ApiObject } from '../api/object.ts'
import { specOf } from './pod-conditions.ts'
import { NO_ADDRESS, textIn, textsIn } from './service-fields.ts'

const OUTSIDE = 'spec.externalIPs is deprecated and may no longer be implemented in some clusters'

export function serviceWarnings(service: ApiObject, stored: ApiObject | undefined): readonly string[] {
  const spec = specOf(service)
  const warnings: string[] = []
  if (textIn(spec, 'clusterIP') === NO_ADDRESS) {
    for (const [field, name] of IGNORED_WITHOUT_ADDRESS) {
      if (textIn(spec, field) !== '') warnings.push(`spec.${name} is ignored for headless services`)
    }
    if (textIn(spec, 'sessionAffinity') === 'ClientIP') {
      warnings.push('spec.SessionAffinity is ignored for headless services')
    }
  }
  const hadOutside = stored !== undefined && textsIn(specOf(stored), 'externalIPs').length > 0
  if (textsIn(spec, 'externalIPs').length > 0 && !hadOutside) warnings.push(OUTSIDE)
  return warnings
}

const IGNORED_WITHOUT_ADDRESS: readonly (readonly [field: string, name: string])[] = [
  ['loadBalancerIP', 'loadBalancerIP'],
  ['externalName', 'externalName'],
]
