// Checks the compiled table as a whole: all types to which fields refer exist, numbers and names are unique, and list keys exist.
import type { CompiledField, CompiledSchema, CompiledType } from '../table-compiled.ts'

const SCALARS: readonly string[] = ['string', 'bytes', 'int32', 'int64', 'bool', 'double', 'any']

/** Throws at the first fault. */
export function checkCompiled({ files }: CompiledSchema): void {
  const types = new Map(files.flatMap((file) => file.types.map((type) => [`${file.stem}.${type.name}`, type] as const)))
  for (const [name, type] of types) {
    checkUnique(name, type)
    for (const field of type.fields) checkField(`${name}.${field[0]}`, field, types)
  }
}

function checkUnique(place: string, type: CompiledType): void {
  for (const part of [0, 1] as const) {
    const all = type.fields.map((field) => field[part])
    const twice = all.find((value, i) => all.indexOf(value) !== i)
    if (twice !== undefined) throw new Error(`${place}: uses ${twice} twice`)
  }
}

function checkField(place: string, field: CompiledField, types: ReadonlyMap<string, CompiledType>): void {
  const [, , type, , facts] = field
  const name = type.replace(/^(\[\]|\{\})/, '')
  const target = types.get(name)
  if (target === undefined && !SCALARS.includes(name)) throw new Error(`${place}: type ${name} is not declared`)
  // The reference treats bytes as a list, and publishes some of them as a list.
  const isList = type.startsWith('[]') || type === 'bytes'
  if (facts?.listType !== undefined && !isList) throw new Error(`${place}: has a list type and is not a list`)
  if ((facts?.listKeys !== undefined) !== (facts?.listType === 'map'))
    throw new Error(`${place}: list_key goes with list_type map, and only with it`)
  for (const key of [
    ...(facts?.listKeys ?? []),
    ...(facts?.patchMergeKey === undefined ? [] : [facts.patchMergeKey]),
  ]) {
    if (target !== undefined && !memberNames(target, types).includes(key))
      throw new Error(`${place}: has no key ${key}`)
  }
}

/** The JSON names of a type's members, including the members of inlined types. */
function memberNames(type: CompiledType, types: ReadonlyMap<string, CompiledType>): readonly string[] {
  return type.fields.flatMap(([name, , target, marks]) => {
    const inlined = marks?.includes('i') === true ? types.get(target) : undefined
    return inlined === undefined ? [name] : memberNames(inlined, types)
  })
}
