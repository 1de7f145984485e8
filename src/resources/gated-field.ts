// Fields that belong to a feature: where it is switched off they are dropped in silence, unless what is stored has them.
import type { ApiObject } from '../api/object.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isList, isMap, own } from '../api/value.ts'
import type { WriteContext } from '../registry/registry.ts'
import type { CharacterTraits } from './character.ts'
import { withMembers } from './members.ts'

export interface GatedField {
  readonly gate: string
  /**
   * From the object to the field; `*` stands for every item of a list and every value of a map, and a member whose name ends in `?`
   * goes with the field where it holds nothing else.
   */
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

const plain = (name: string): string => (name.endsWith('?') ? name.slice(0, -1) : name)

function hasField(holder: Value | undefined, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return holder !== undefined
  if (name === '*')
    return isMap(holder) || isList(holder) ? Object.values(holder).some((each) => hasField(each, rest)) : false
  return isMap(holder) && hasField(own(holder, plain(name)), rest)
}

/** The same value where the field is not there. */
function withoutField(holder: Value, [name, ...rest]: readonly string[]): Value {
  if (name === undefined) return holder
  if (name === '*' && isList(holder)) {
    const items = holder.map((item) => withoutField(item, rest))
    return items.every((item, i) => item === holder[i]) ? holder : items
  }
  if (!isMap(holder)) return holder
  const names = name === '*' ? Object.keys(holder) : [name]
  return names.reduce((result, each) => withoutMember(result, each, rest), holder)
}

function withoutMember(map: ValueMap, step: string, rest: readonly string[]): ValueMap {
  const name = plain(step)
  const value = own(map, name)
  if (value === undefined) return map
  if (rest.length === 0) return withMembers(map, { [name]: undefined })
  const changed = withoutField(value, rest)
  if (changed === value) return map
  const isGone = name !== step && isMap(changed) && Object.keys(changed).length === 0
  return isGone ? withMembers(map, { [name]: undefined }) : { ...map, [name]: changed }
}
