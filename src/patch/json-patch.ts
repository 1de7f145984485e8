// JSON patch (RFC 6902) with the reference's liberties: `replace` adds what is missing, negative indexes count from the
// end, `test` of something missing passes for null. The document is copied on the way, never changed.
import { ApiError } from '../api/status.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isList, isMap, own, setOwn } from '../api/value.ts'
import type { SourceValue } from '../schema/exact-value.ts'
import { patchRejected } from './patch.ts'
import { isSpelledAs, spelledMember } from './spelling.ts'

const MAX_OPERATIONS = 10_000
const MAX_COPIED_BYTES = 3 * 1024 * 1024

const MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value'])

/** What is odd about a well-formed patch document, operation by operation: members that repeat (`problems` tells which), members that no operation has. */
export function oddPatchMembers(patch: Value, problems: readonly string[]): string[] {
  const odd: string[] = []
  let next = 0
  for (const [index, operation] of (isList(patch) ? patch : []).entries()) {
    for (const prefix = `duplicate field "[${index}]`; problems[next]?.startsWith(prefix) === true; next++) {
      odd.push(`json patch ${problems[next]!}`)
    }
    if (!isMap(operation)) continue
    for (const name of Object.keys(operation)) {
      if (!MEMBERS.has(name)) odd.push(`json patch unknown field "[${index}].${name}"`)
    }
  }
  return odd
}

export interface PatchReading {
  /** A patch that is read loosely is refused later and in other words, as it is in the reference where field validation is off (W-172). */
  readonly loose?: boolean
  /** The patch with its numbers as they were written: `test` compares spellings (W-184). */
  readonly spelled?: SourceValue
}

/** The document after all operations. Throws `ApiError` where one cannot be applied; then nothing has happened. */
export function applyJsonPatch(document: Value, patch: Value, reading: PatchReading = {}): Value {
  const operations = readOperations(patch, reading)
  let copied = 0
  let result = document
  for (const operation of operations) {
    if (operation.op === 'copy') {
      copied += jsonSize(copiedFrom(result, operation.from))
      if (copied > MAX_COPIED_BYTES) throw patchRejected()
    }
    result = applyOperation(result, operation)
  }
  return result
}

/** A pointer that is none is refused when the operation is done. */
function copiedFrom(document: Value, from: string | undefined): Value {
  const steps = from === undefined ? undefined : stepsOf(from)
  return steps === undefined ? null : (valueAt(document, steps) ?? null)
}

/** What an operation does not say, or not in a text, it is refused for when it is done. */
interface Operation {
  readonly op: string | undefined
  readonly path: string | undefined
  readonly from: string | undefined
  readonly value: Value | undefined
  readonly spelled: SourceValue
}

function readOperations(patch: Value, { loose = false, spelled = patch }: PatchReading): Operation[] {
  // A patch that is null has no operations, and an operation that is null says nothing.
  if (patch === null) return []
  if (!isList(patch))
    throw undecodable(patch, `Go value of type ${loose ? 'jsonpatch.Patch' : '[]handlers.jsonPatchOp'}`, loose)
  if (patch.length > MAX_OPERATIONS) {
    throw new ApiError(
      'RequestEntityTooLarge',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    )
  }
  const spellings = spelled as readonly SourceValue[]
  return patch.map((item, index) => {
    const operation = item ?? {}
    if (!isMap(operation)) {
      throw undecodable(operation, `Go value of type ${loose ? 'jsonpatch.Operation' : 'handlers.jsonPatchOp'}`, loose)
    }
    return {
      op: textMember(operation, 'op', loose),
      path: textMember(operation, 'path', loose),
      from: textMember(operation, 'from', loose),
      value: own(operation, 'value'),
      spelled: spelledMember(spellings[index] ?? null, 'value') ?? null,
    }
  })
}

function textMember(operation: ValueMap, name: string, loose: boolean): string | undefined {
  const value = own(operation, name) ?? undefined
  if (value === undefined || typeof value === 'string') return value
  if (loose) return undefined
  throw undecodable(value, `Go struct field jsonPatchOp.${name} of type string`, loose)
}

function undecodable(value: Value, target: string, loose: boolean): ApiError {
  const problem = `json: cannot unmarshal ${jsonType(value)} into ${target}`
  return new ApiError('BadRequest', loose ? problem : `error decoding patch: ${problem}`)
}

/** How the reference's decoder names the type of a JSON value. */
export function jsonType(value: Value): string {
  if (isList(value)) return 'array'
  switch (typeof value) {
    case 'object':
      return value === null ? 'null' : 'object'
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    default:
      return 'number'
  }
}

function jsonSize(value: Value): number {
  if (isList(value)) return value.reduce((sum: number, item) => sum + 1 + jsonSize(item), 2)
  if (isMap(value)) return Object.keys(value).reduce((sum, key) => sum + key.length + 4 + jsonSize(value[key]!), 2)
  return typeof value === 'string' ? value.length + 2 : 8
}

function applyOperation(document: Value, operation: Operation): Value {
  try {
    return applied(document, operation)
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    throw patchRejected({}, new Error(unfitText(operation, error)))
  }
}

/** An operation that does not fit the document; the message says what is wrong with the last step, where that is reached. */
class Unfit extends Error {}

/** As the library that the reference uses words it. */
function unfitText({ op, path, from }: Operation, { message }: Unfit): string {
  switch (op) {
    case 'add':
    case 'remove':
    case 'replace':
      if (message !== '') return `error in ${op === 'add' ? 'add' : 'remove'} for path: '${path}': ${message}`
      return `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`
    case 'test':
      return `testing path ${path} failed: test failed`
    case 'move':
    case 'copy':
      return `${op} operation does not apply: doc is missing from path: ${from}: missing value`
    default:
      return `Unexpected kind: ${op}`
  }
}

function applied(document: Value, { op, path, from, value, spelled }: Operation): Value {
  const steps = pointer(path)
  switch (op) {
    case 'add':
      return steps.length === 0 ? fail() : edit(document, steps, (parent, key) => insert(parent, key, value ?? null))
    case 'remove':
      return steps.length === 0 ? fail() : edit(document, steps, removeMember)
    case 'replace':
      if (steps.length === 0) return isContainer(value) ? value! : fail()
      return edit(document, steps, (parent, key) => overwrite(parent, key, value ?? null))
    case 'move': {
      const source = pointer(from)
      const moved = valueAt(document, source)
      if (moved === undefined || steps.length === 0 || source.length === 0) return fail()
      const without = edit(document, source, removeMember)
      return edit(without, steps, (parent, key) => insert(parent, key, moved))
    }
    case 'copy': {
      const source = pointer(from)
      if (steps.length === 0 || !canHold(document, source)) return fail()
      const copied = valueAt(document, source) ?? null
      return edit(document, steps, (parent, key) => insert(parent, key, copied))
    }
    case 'test': {
      if (steps.length > 0 && !canHold(document, steps)) return fail()
      const found = valueAt(document, steps) ?? null
      return isSpelledAs(found, spelled) ? document : fail()
    }
    default:
      return fail()
  }
}

function fail(why = ''): never {
  throw new Unfit(why)
}

function isContainer(value: Value | undefined): boolean {
  return isMap(value) || isList(value)
}

/** Whether there can be something at the steps: a map has room for every name, a list for the items that it has. */
function canHold(document: Value, steps: readonly string[]): boolean {
  const last = steps.at(-1)
  if (last === undefined) return false
  const parent = valueAt(document, steps.slice(0, -1))
  return isMap(parent) || (isList(parent) && parent[indexOf(last, parent.length)] !== undefined)
}

function pointer(text: string | undefined): readonly string[] {
  return (text === undefined ? undefined : stepsOf(text)) ?? fail()
}

/** Undefined where a text is no pointer. What comes before its first slash does not matter to the reference. */
function stepsOf(text: string): readonly string[] | undefined {
  if (text === '') return []
  const [, ...steps] = text.split('/')
  return steps.length === 0 ? undefined : steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function valueAt(document: Value, steps: readonly string[]): Value | undefined {
  let current: Value | undefined = document
  for (const step of steps) {
    if (isMap(current)) current = own(current, step)
    else if (isList(current)) current = current[indexOf(step, current.length)]
    else return undefined
  }
  return current
}

/** The place that a step names in a list; negative steps count from the end. NaN where it is no number. */
function indexOf(step: string, length: number): number {
  if (!/^-?\d{1,9}$/.test(step)) return Number.NaN
  const index = Number(step)
  return index < 0 ? index + length : index
}

type Edit = (parent: ValueMap | readonly Value[], key: string) => Value

/** The document with its member at `steps` edited; everything on the way there is copied. */
function edit(document: Value, steps: readonly string[], change: Edit, depth = 0): Value {
  if (!isMap(document) && !isList(document)) return fail()
  const step = steps[depth]!
  if (depth === steps.length - 1) return change(document, step)
  if (isMap(document)) {
    const child = own(document, step)
    if (child === undefined) return fail()
    return withMember(document, step, edit(child, steps, change, depth + 1))
  }
  const index = indexOf(step, document.length)
  const child = document[index]
  if (child === undefined) return fail()
  return document.with(index, edit(child, steps, change, depth + 1))
}

function withMember(map: ValueMap, key: string, value: Value): ValueMap {
  const copy: Record<string, Value> = {}
  for (const name of Object.keys(map)) setOwn(copy, name, map[name]!)
  setOwn(copy, key, value)
  return copy
}

function insert(parent: ValueMap | readonly Value[], key: string, value: Value): Value {
  if (isMap(parent)) return withMember(parent, key, value)
  const list = parent
  if (key === '-') return [...list, value]
  const index = Number(key) < 0 ? Number(key) + list.length + 1 : indexOf(key, list.length)
  return index >= 0 && index <= list.length ? list.toSpliced(index, 0, value) : fail(badIndex(key))
}

function overwrite(parent: ValueMap | readonly Value[], key: string, value: Value): Value {
  if (isMap(parent)) return withMember(parent, key, value)
  const list = parent
  const index = indexOf(key, list.length)
  return index >= 0 && index < list.length ? list.with(index, value) : fail()
}

function removeMember(parent: ValueMap | readonly Value[], key: string): Value {
  if (isMap(parent)) {
    if (!Object.hasOwn(parent, key)) return fail(`Unable to remove nonexistent key: ${key}: missing value`)
    const copy: Record<string, Value> = {}
    for (const name of Object.keys(parent)) if (name !== key) setOwn(copy, name, parent[name]!)
    return copy
  }
  const list = parent
  const index = indexOf(key, list.length)
  return index >= 0 && index < list.length ? list.toSpliced(index, 1) : fail(badIndex(key))
}

function badIndex(key: string): string {
  return `Unable to access invalid index: ${key}: invalid index referenced`
}
