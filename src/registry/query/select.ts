// Objects with only some of their fields. The names and versions of objects are always included.
import { jsonText } from '../../api/json-text.ts'
import type { ApiObject } from '../../api/object.ts'
import { type PathText, parsePaths } from '../../api/path-text.ts'
import { isList, isMap, own, setOwn, type Value } from '../../api/value.ts'
import type { ListItem } from '../../codec/list-json.ts'
import { sortedJson } from '../../codec/json-encode.ts'
import type { KindSchema } from '../../schema/table.ts'
import { fieldAt, refuseWord } from './fields.ts'

/** The selected part of a value: all of it, or some members. A path without a place selects the members of each item of a list. */
type Part = 'all' | Map<string, Part>

const ALWAYS: readonly (readonly string[])[] = [
  ['kind'],
  ['apiVersion'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'resourceVersion'],
]

export interface Selected {
  readonly paths: readonly PathText[]
  /** The object as an item of a list, with only these fields. */
  of(item: Pick<ListItem, 'object'>): ListItem
  /** The fields that the query requests, as text. */
  contentOf(item: Pick<ListItem, 'object'>): string
}

export function parseSelect(text: string, kind: KindSchema): Selected {
  const paths = parsePaths('select', text)
  const whole: Map<string, Part> = new Map()
  for (const path of paths) {
    refuseWord('select', path)
    fieldAt('select', path, kind.shape)
    add(whole, path.steps.map(String))
  }
  const content = copyOf(whole)
  for (const steps of ALWAYS) add(whole, steps)
  const encode = kind.custom === true ? sortedJson : jsonText
  const project = (item: Pick<ListItem, 'object'>): ApiObject => taken(item.object(), whole) as ApiObject
  return {
    paths,
    of: (item) => new SelectedItem(() => project(item), encode),
    contentOf: (item) => jsonText(taken(item.object(), content) ?? null),
  }
}

function copyOf(part: Map<string, Part>): Map<string, Part> {
  return new Map([...part].map(([key, inner]) => [key, inner === 'all' ? inner : copyOf(inner)]))
}

function add(to: Map<string, Part>, steps: readonly string[]): void {
  let part = to
  for (const [i, step] of steps.entries()) {
    const known = part.get(step)
    if (known === 'all') return
    if (i === steps.length - 1) part.set(step, 'all')
    else {
      const inner: Map<string, Part> = known ?? new Map<string, Part>()
      part.set(step, inner)
      part = inner
    }
  }
}

/** Undefined: nothing of the value is selected. */
function taken(value: Value | undefined, part: Part): Value | undefined {
  if (part === 'all' || value === undefined || value === null) return value
  if (isMap(value)) {
    const members: Record<string, Value> = {}
    let isEmpty = true
    for (const key of Object.keys(value)) {
      const inner = part.get(key)
      const member = inner === undefined ? undefined : taken(own(value, key), inner)
      if (member === undefined) continue
      setOwn(members, key, member)
      isEmpty = false
    }
    return isEmpty ? undefined : members
  }
  return isList(value) ? takenItems(value, part) : undefined
}

function takenItems(list: readonly Value[], part: Map<string, Part>): Value | undefined {
  const items = list.flatMap((item, i) => {
    const place = part.get(String(i))
    const own = place === undefined ? undefined : taken(item, place)
    if (own !== undefined) return [own]
    const each = taken(item, part)
    return each === undefined ? [] : [each]
  })
  return items.length === 0 ? undefined : items
}

class SelectedItem implements ListItem {
  readonly #project: () => ApiObject
  readonly #encode: (object: ApiObject) => string
  #object: ApiObject | undefined
  #bytes: Buffer | undefined

  constructor(project: () => ApiObject, encode: (object: ApiObject) => string) {
    this.#project = project
    this.#encode = encode
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.#encode(this.object()))
    return this.#bytes
  }

  object(): ApiObject {
    this.#object ??= this.#project()
    return this.#object
  }
}
