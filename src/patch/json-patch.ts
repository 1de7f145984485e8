// JSON patch (RFC 6902) with the reference's liberties: `replace` adds a missing member, negative indexes count from the end, `test` treats
// a missing value as null. The document itself is never changed: see `draft.ts`.
import { ApiError } from '../api/status.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import type { SourceValue } from '../schema/exact-value.ts'
import {
  type Draft,
  drafted,
  finished,
  indexOf,
  isDraft,
  MAX_DEPTH,
  MapDraft,
  memberOf,
  type Part,
  TooDeepError,
} from './draft.ts'
import { patchRejected } from './patch.ts'
import { isSpelledAs, spelledMember, spelledSize } from './scalar-text.ts'

const MAX_OPERATIONS = 10_000
const MAX_COPIED_BYTES = 3 * 1024 * 1024

const MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value'])

/** The problems of a well-formed patch, in the order of its operations: repeated members (given in `problems`), and unknown members. */
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
  /** True: a malformed patch is refused later and with another message, as in the reference if field validation is off (W-172). */
  readonly loose?: boolean
  /** The patch with its numbers as they were written: `test` compares spellings (W-184). */
  readonly spelled?: SourceValue
}

/** The document after all operations. Throws an `ApiError` if an operation cannot be applied. */
export function applyJsonPatch(document: Value, patch: Value, reading: PatchReading = {}): Value {
  const operations = readOperations(patch, reading)
  try {
    const result = patchedBy(operations, document)
    if (!isDeeperThan(result, MAX_DEPTH)) return result
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error
  }
  throw patchRejected({}, new Error('exceeded max depth'))
}

function patchedBy(operations: readonly Operation[], document: Value): Value {
  const patched = new PatchedDocument(document)
  for (const operation of operations) {
    try {
      patched.apply(operation)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      throw patchRejected({}, new Error(unfitText(operation, error)))
    }
  }
  return patched.finish()
}

function isDeeperThan(value: Value, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && isDeeperThan(member, depth - 1)) return true
  }
  return false
}

/** An operation. If it lacks a required member, it is refused when it is carried out. */
interface Operation {
  readonly op: string | undefined
  readonly path: string | undefined
  readonly from: string | undefined
  readonly value: Value | undefined
  readonly spelled: SourceValue
}

function readOperations(patch: Value, { loose = false, spelled = patch }: PatchReading): Operation[] {
  // A null patch has no operations, and a null operation has no members.
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

/** The name of the type of a JSON value in the reference's decoder. */
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

/** An operation does not fit the document. The message is empty unless the fault is in the last step of the path. */
class Unfit extends Error {}

/** The message of the library that the reference uses. */
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

function fail(why = ''): never {
  throw new Unfit(why)
}

class PatchedDocument {
  #root: Part
  #copied = 0
  /** The number of members of each unedited map. A large map is counted only once. */
  readonly #sizes = new WeakMap<ValueMap, number>()

  constructor(document: Value) {
    this.#root = document
  }

  finish(): Value {
    return finished(this.#root)
  }

  /** Throws `Unfit` if the operation does not fit the document. */
  apply(operation: Operation): void {
    const { op, path, from, value } = operation
    if (op === 'copy') this.#countCopied(from)
    const steps = pointer(path)
    switch (op) {
      case 'add':
        return this.#insert(steps, value ?? null)
      case 'remove':
        return this.#remove(steps)
      case 'replace':
        return this.#replace(steps, value)
      case 'move': {
        const source = pointer(from)
        const moved = this.#partAt(source)
        if (moved === undefined || steps.length === 0 || source.length === 0) return fail()
        this.#remove(source)
        return this.#insert(steps, moved)
      }
      case 'copy': {
        const source = pointer(from)
        if (steps.length === 0 || !this.#canHold(source)) return fail()
        return this.#insert(steps, finished(this.#partAt(source) ?? null))
      }
      case 'test':
        return this.#test(steps, operation)
      default:
        return fail()
    }
  }

  /** Bounds the size of all copied values. A malformed pointer is refused later, when the operation is carried out. */
  #countCopied(from: string | undefined): void {
    const steps = from === undefined ? undefined : stepsOf(from)
    const part = steps === undefined ? undefined : this.#partAt(steps)
    this.#copied += part === undefined ? jsonSize(null) : jsonSize(finished(part))
    if (this.#copied > MAX_COPIED_BYTES) throw patchRejected()
  }

  #insert(steps: readonly string[], part: Part): void {
    const { parent, key } = this.#edited(steps)
    if (parent instanceof MapDraft) return parent.set(key, part)
    if (key === '-') return parent.insert(parent.size, part)
    const index = Number(key) < 0 ? Number(key) + parent.size + 1 : indexOf(key, parent.size)
    if (index !== parent.size && !parent.has(index)) fail(badIndex(key))
    parent.insert(index, part)
  }

  #replace(steps: readonly string[], value: Value | undefined): void {
    if (steps.length === 0) {
      this.#root = isMap(value) || isList(value) ? value : fail()
      return
    }
    const { parent, key } = this.#edited(steps)
    if (parent instanceof MapDraft) return parent.set(key, value ?? null)
    const index = indexOf(key, parent.size)
    if (!parent.has(index)) fail()
    parent.replace(index, value ?? null)
  }

  #remove(steps: readonly string[]): void {
    const { parent, key } = this.#edited(steps)
    if (parent instanceof MapDraft) {
      if (!parent.delete(key)) fail(`Unable to remove nonexistent key: ${key}: missing value`)
      return
    }
    const index = indexOf(key, parent.size)
    if (!parent.has(index)) fail(badIndex(key))
    parent.remove(index)
  }

  #test(steps: readonly string[], { spelled }: Operation): void {
    if (steps.length > 0 && !this.#canHold(steps)) fail()
    const part = this.#partAt(steps) ?? null
    // Values with different numbers of members are not compared further: they could be large.
    if (this.#sizeOf(part) !== spelledSize(spelled)) fail()
    if (!isSpelledAs(finished(part), spelled)) fail()
  }

  /** The number of members or items. Undefined: the value is a scalar. */
  #sizeOf(part: Part): number | undefined {
    if (isDraft(part)) return part.size
    if (isList(part)) return part.length
    if (!isMap(part)) return undefined
    let size = this.#sizes.get(part)
    if (size === undefined) this.#sizes.set(part, (size = Object.keys(part).length))
    return size
  }

  /** Whether the steps can lead to a value: a map may have any name, a list only the indexes of its items. */
  #canHold(steps: readonly string[]): boolean {
    const last = steps.at(-1)
    if (last === undefined) return false
    const parent = this.#partAt(steps.slice(0, -1))
    if (parent instanceof MapDraft || (parent !== undefined && !isDraft(parent) && isMap(parent))) return true
    return parent !== undefined && memberOf(parent, last) !== undefined
  }

  #partAt(steps: readonly string[]): Part | undefined {
    let part: Part | undefined = this.#root
    for (const step of steps) {
      if (part === undefined) return undefined
      part = memberOf(part, step)
    }
    return part
  }

  /** The draft of the value that has the member of the last step. All values on the path to it become drafts. */
  #edited(steps: readonly string[]): { readonly parent: Draft; readonly key: string } {
    const key = steps.at(-1) ?? fail()
    let parent = drafted(this.#root) ?? fail()
    this.#root = parent
    for (const step of steps.slice(0, -1)) {
      const child: Draft = drafted(parent.get(step) ?? fail()) ?? fail()
      if (parent instanceof MapDraft) parent.set(step, child)
      else parent.replace(indexOf(step, parent.size), child)
      parent = child
    }
    return { parent, key }
  }
}

function pointer(text: string | undefined): readonly string[] {
  return (text === undefined ? undefined : stepsOf(text)) ?? fail()
}

/** Undefined: the text is not a pointer. The reference ignores the text before the first slash. */
function stepsOf(text: string): readonly string[] | undefined {
  if (text === '') return []
  const [, ...steps] = text.split('/')
  return steps.length === 0 ? undefined : steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function badIndex(key: string): string {
  return `Unable to access invalid index: ${key}: invalid index referenced`
}
