// Objects whose lists and maps are long: those that large bodies are made of.
import type { Value } from '../../src/api/value.ts'
import { isList, isMap } from '../../src/api/value.ts'

const LENGTH = 40

/** The value with the items of its lists again and again, each under another name, and more members in its maps of texts. */
export function lengthened(value: Value, i = 0): Value {
  if (isList(value)) {
    return value.length === 0
      ? value
      : Array.from({ length: LENGTH }, (_, at) => lengthened(value[at % value.length]!, at))
  }
  if (!isMap(value)) return value
  const made: [string, Value][] = Object.entries(value).map(([key, member]) => [key, lengthened(member)])
  const name = value['name']
  if (typeof name === 'string') made.push(['name', `${name}-${i}`])
  return Object.fromEntries(made)
}
