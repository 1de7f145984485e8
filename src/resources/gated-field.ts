// Fields that belong to a feature: where it is switched off they are dropped in silence, unless what is stored has them.
import type { ApiObject } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { isMap, own } from '../api/value.ts'
import type { WriteContext } from '../registry/registry.ts'
import type { CharacterTraits } from './character.ts'
import { withMembers } from './members.ts'

export interface GatedField {
  readonly gate: string
  /** From the object to the field. */
  readonly path: readonly string[]
}

type Prepare = (object: ApiObject, stored: ApiObject | undefined, context: WriteContext) => ApiObject

/** The traits, with the fields taken out before anything else is done. */
export function withGatedFields(fields: readonly GatedField[], traits: CharacterTraits): CharacterTraits {
  const prepare: Prepare = (object, stored, { gates }) =>
    fields
      .filter(({ gate, path }) => !gates.has(gate) && (stored === undefined || !hasField(stored, path)))
      .reduce((result, { path }) => withoutField(result, path) as ApiObject, object)
  return {
    ...traits,
    prepareForCreate: (object, context) => {
      const prepared = prepare(object, undefined, context)
      return traits.prepareForCreate?.(prepared, context) ?? prepared
    },
    prepareForUpdate: (object, stored, context) => {
      const prepared = prepare(object, stored, context)
      return traits.prepareForUpdate?.(prepared, stored, context) ?? prepared
    },
  }
}

function hasField(map: ValueMap, [name, ...rest]: readonly string[]): boolean {
  const value = name === undefined ? undefined : own(map, name)
  return rest.length === 0 ? value !== undefined : isMap(value) && hasField(value, rest)
}

function withoutField(map: ValueMap, [name, ...rest]: readonly string[]): ValueMap {
  const value = name === undefined ? undefined : own(map, name)
  if (name === undefined || value === undefined) return map
  if (rest.length === 0) return withMembers(map, { [name]: undefined })
  return isMap(value) ? { ...map, [name]: withoutField(value, rest) } : map
}
