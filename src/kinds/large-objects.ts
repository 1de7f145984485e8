// What is done with a large object of a built-in kind in turns of the event loop, instead of all at once.
import type { ApiObject } from '../api/object.ts'
import type { LargeObjects } from '../registry/registry.ts'
import { decodeInTurns } from '../schema/decode.ts'
import { inOrderInTurns } from '../schema/member-order.ts'
import type { ObjectShape } from '../schema/table.ts'
import type { KindRules, ValidationContext } from '../schema/validation/validation.ts'
import { validateCreateInTurns, validateUpdateInTurns } from '../schema/validation/validation.ts'

interface Validated extends Pick<ValidationContext, 'namespaced' | 'allowPrivileged'> {
  readonly rules: KindRules
}

export function largeObjects(served: ObjectShape, stored: ObjectShape, { rules, ...context }: Validated): LargeObjects {
  return {
    decode: (source, turns) => decodeInTurns(source, served, { turns }),
    toCanonical: async (object, turns, known) => {
      const { value } = await decodeInTurns(object, stored, { turns, known: known?.object })
      const inOrder = known?.isInOrder === true ? known.object : undefined
      return (await inOrderInTurns(value, stored, { turns, known: inOrder })) as ApiObject
    },
    validateCreate: (object, { gates }, turns) => validateCreateInTurns(rules, object, { ...context, gates, turns }),
    validateUpdate: (change, { gates }, turns) => validateUpdateInTurns(rules, change, { ...context, gates, turns }),
  }
}
