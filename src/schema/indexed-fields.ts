// Checks which fields of a custom resource can be indexed: the fields in its schema that have a single value.
import { INDEXES, type IndexedPlace, parseIndexedPlaces } from '../api/indexed-place.ts'
import { isTrue, mapOrAbsent, mapOrEmpty, textOrEmpty } from '../api/members.ts'
import { ApiError } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'

/** The fault of the annotation that lists indexed fields. Undefined: no fault. `schema`: the OpenAPI schema of the stored version. */
export function indexFault(text: string, schema: ValueMap): string | undefined {
  try {
    const faults = parseIndexedPlaces(INDEXES, text).map((place) => placeFault(place, schema))
    return faults.find((fault) => fault !== undefined)
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

const NOT_SINGLE: ReadonlySet<string> = new Set(['object', 'array'])

function placeFault({ name, path }: IndexedPlace, root: ValueMap): string | undefined {
  // The schema does not describe the metadata.
  if (path[0] === 'metadata') return path.length < 2 ? `${name} is not a single value` : undefined
  let schema = root
  for (const step of path) {
    const inner = within(schema, step)
    if (inner === undefined) return `undefined field '${step}' in ${name}`
    schema = inner
  }
  return NOT_SINGLE.has(textOrEmpty(schema, 'type')) ? `${name} is not a single value` : undefined
}

function within(schema: ValueMap, step: string): ValueMap | undefined {
  const items = mapOrAbsent(schema, 'items')
  if (items !== undefined) return /^\d+$/.test(step) ? items : undefined
  const found = mapOrAbsent(mapOrEmpty(schema, 'properties'), step) ?? mapOrAbsent(schema, 'additionalProperties')
  if (found !== undefined) return found
  return isTrue(schema, 'x-kubernetes-preserve-unknown-fields') ? {} : undefined
}
