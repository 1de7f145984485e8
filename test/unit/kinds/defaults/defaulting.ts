// What the tests of defaults share: one line from a kind and an object to the object as it is meant.
import type { ApiObject } from '../../../../src/api/object.ts'
import type { ValueMap } from '../../../../src/api/value.ts'
import { applyDefaults } from '../../../../src/schema/defaults/defaults.ts'
import { defaultsOf } from '../../../fakes/kind-of.ts'

export const NOW = '2024-01-02T03:04:05Z'

/** `apps/v1 Deployment` with the members given; feature gates are on where named. */
export function defaulted(kind: string, members: ValueMap, gates: readonly string[] = []): ApiObject {
  const [apiVersion = '', name = ''] = kind.split(' ')
  const [, group = ''] = apiVersion.split('/').reverse()
  const object: ApiObject = { apiVersion, kind: name, metadata: {}, ...members }
  return applyDefaults(defaultsOf({ group, kind: name }), freeze(object), {
    gates: new Set(gates),
    now: () => NOW,
  })
}

/** Frozen all the way down: a rule that changes what it was given throws. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}
