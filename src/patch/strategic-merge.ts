// Strategic merge patch: a merge patch that merges lists too, if the schema gives a strategy and a key for them. Directives in the patch
// express changes that a merge cannot express. The object itself is never changed.
import { ApiError } from '../api/status.ts'
import { equalValues, isList, isMap, own, setOwn, type Value, type ValueMap } from '../api/value.ts'
import type { Field, Shape } from '../schema/table.ts'
import { formatGoValue, goType } from '../api/go-format.ts'
import { patchDoesNotFit } from './patch.ts'
import { orderItems } from './list-order.ts'

const PATCH = '$patch'
const RETAIN_KEYS = '$retainKeys'
const DELETE_FROM_LIST = '$deleteFromPrimitiveList'
const SET_ORDER = '$setElementOrder'

/** The object after the patch. Throws `ApiError` if the patch is malformed or does not fit the object. */
export function applyStrategicMerge(shape: Shape, object: ValueMap, patch: ValueMap): ValueMap {
  return mergeMaps(shape, object, patch, new Work())
}

/** The bound of repeated work, in copied members and merges. A patch that names an item twice needs less. */
const MOST_REPEATED_WORK = 100_000

/** Bounds the work of a merge. A merged item is copied, so a patch that names one item many times copies it as often. */
class Work {
  #left = MOST_REPEATED_WORK
  #repeats = 0

  /** Runs a merge into an item that an earlier merge has made, and charges its cost. */
  repeat<T>(merge: () => T): T {
    this.#repeats += 1
    this.charge(1)
    const merged = merge()
    this.#repeats -= 1
    return merged
  }

  charge(copied: number): void {
    if (this.#repeats === 0) return
    this.#left -= copied
    if (this.#left >= 0) return
    throw new ApiError('RequestEntityTooLarge', 'Request entity too large: the patch names one item too often')
  }
}

type Members = Record<string, Value>

function mergeMaps(shape: Shape, original: ValueMap, patch: ValueMap, work: Work): ValueMap {
  const directive = own(patch, PATCH)
  if (directive === 'replace') return withoutDirective(patch)
  if (directive === 'delete') return {}
  if (directive !== undefined) {
    throw patchDoesNotFit(`unknown patch type: ${formatGoValue(directive)} in map: ${formatGoValue(patch)}`)
  }
  const result = retainKeys(original, patch, work)
  const ordered = mergeOrderedLists(shape, result, { patch, work })
  for (const key of Object.keys(patch)) {
    if (key === RETAIN_KEYS || ordered.has(key) || key.startsWith(SET_ORDER)) continue
    const value = patch[key]!
    if (key.startsWith(DELETE_FROM_LIST)) {
      deleteFromList(result, directiveField(key, DELETE_FROM_LIST, 'primitive list'), value)
    } else if (value === null) {
      delete result[key]
    } else {
      const merged = mergeMember(fieldOf(shape, key), own(result, key), { patch: value, work })
      if (merged === undefined) delete result[key]
      else setOwn(result, key, merged)
    }
  }
  return result
}

interface FieldRules {
  readonly shape: Shape
  readonly merges: boolean
  readonly replaces: boolean
  readonly mergeKey: string
}

const NO_RULES: FieldRules = Object.freeze({
  shape: Object.freeze({ kind: 'any' }),
  merges: false,
  replaces: false,
  mergeKey: '',
})

function fieldOf(shape: Shape, key: string): FieldRules {
  if (shape.kind === 'map') return { ...NO_RULES, shape: shape.value }
  if (shape.kind !== 'object') return NO_RULES
  const field: Field | undefined = shape.byName.get(key)
  if (field === undefined) return NO_RULES
  return {
    shape: field.shape,
    merges: field.patchStrategy?.includes('merge') ?? false,
    replaces: field.patchStrategy?.includes('replace') ?? false,
    mergeKey: field.patchMergeKey ?? '',
  }
}

/** The member after the patch. Undefined: the member is removed. */
function mergeMember(
  field: FieldRules,
  original: Value | undefined,
  { patch, work }: Merged<Value>,
): Value | undefined {
  if (isMap(original) && isMap(patch)) return field.replaces ? patch : mergeMaps(field.shape, original, patch, work)
  if (isList(original) && isList(patch)) return field.merges ? mergeLists(field, original, { patch, work }) : patch
  return withoutDirectives(patch)
}

/** The patch of a merge, and the bound of its work. */
interface Merged<T> {
  readonly patch: T
  readonly work: Work
}

function withoutDirective(patch: ValueMap): ValueMap {
  const result: Members = {}
  for (const key of Object.keys(patch)) if (key !== PATCH) setOwn(result, key, patch[key]!)
  return result
}

/**
 * The value that a patch gives to a member that is absent or has another form. Null members are dropped. Maps with a `$patch` directive are
 * dropped too, because the directive has nothing to act on. Other directives stay, and are reported as unknown fields.
 */
function withoutDirectives(patch: Value): Value | undefined {
  if (isList(patch)) {
    return patch.map((item) => withoutDirectives(item)).filter((item) => item !== undefined)
  }
  if (!isMap(patch)) return patch
  if (Object.hasOwn(patch, PATCH)) return undefined
  const result: Members = {}
  for (const key of Object.keys(patch)) {
    const value = patch[key]!
    if (value === null) continue
    const kept = withoutDirectives(value)
    if (kept !== undefined) setOwn(result, key, kept)
  }
  return result
}

function isDirective(key: string): boolean {
  return key === PATCH || key === RETAIN_KEYS || key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ORDER)
}

/** A copy of the original, with only the listed members if the patch has a `$retainKeys` list. */
function retainKeys(original: ValueMap, patch: ValueMap, work: Work): Members {
  const retained = own(patch, RETAIN_KEYS)
  const result: Members = {}
  const keys = Object.keys(original)
  work.charge(keys.length)
  if (retained === undefined) {
    for (const key of keys) setOwn(result, key, original[key]!)
    return result
  }
  const listed = new Set(isList(retained) ? retained : [])
  const unlisted = Object.keys(patch).some((key) => !isDirective(key) && patch[key] !== null && !listed.has(key))
  if (!isList(retained) || unlisted) throw new ApiError('BadRequest', 'invalid patch format of retainKeys')
  for (const key of keys) if (listed.has(key)) setOwn(result, key, original[key]!)
  return result
}

function directiveField(key: string, directive: string, what: string): string {
  if (!key.startsWith(`${directive}/`)) throw new ApiError('BadRequest', `invalid patch format of ${what}`)
  return key.slice(directive.length + 1)
}

function deleteFromList(result: Members, field: string, values: Value): void {
  const list = own(result, field)
  if (!isList(list) || !isList(values)) return
  const deleted = new Set(values.map(scalarIdentity))
  setOwn(
    result,
    field,
    list.filter((item) => !deleted.has(scalarIdentity(item))),
  )
}

function scalarIdentity(value: Value): string {
  return `${typeof value}:${formatGoValue(value)}`
}

/** Merges each list for which the patch gives an order. Returns the names of these lists. */
function mergeOrderedLists(shape: Shape, result: Members, { patch, work }: Merged<ValueMap>): Set<string> {
  const done = new Set<string>()
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(SET_ORDER)) continue
    const name = directiveField(key, SET_ORDER, 'setElementOrder list')
    const order = patch[key]!
    if (!isList(order)) throw patchDoesNotFit(`expected a []interface {}, but received a ${goType(order)}`)
    const field = fieldOf(shape, name)
    const [original, patched] = [own(result, name), own(patch, name)]
    checkOrder(patched, order, field.mergeKey)
    done.add(name)
    if (patched === null) {
      delete result[name]
      continue
    }
    const merged = patched === undefined ? original : mergeMember(field, original, { patch: patched, work })
    if (merged === undefined) delete result[name]
    if (!isList(merged)) {
      if (merged !== undefined) setOwn(result, name, merged)
      continue
    }
    const serverOrder = isList(original) ? original : []
    setOwn(result, name, orderItems({ items: merged, wanted: order, serverOrder, mergeKey: field.mergeKey }))
  }
  return done
}

/** Throws an `ApiError` unless the items of the patch have the order that the patch specifies. */
function checkOrder(patched: Value | undefined, order: readonly Value[], mergeKey: string): void {
  if (!isList(patched) || order.length === 0) return
  const items = patched.filter((item) => !(isMap(item) && own(item, PATCH) === 'delete'))
  let place = 0
  for (const item of items) {
    while (place < order.length && !sameItem(item, order[place]!, mergeKey)) place++
    if (place >= order.length) {
      throw patchDoesNotFit(
        `The order in patch list:\n${formatGoValue(items)}\n doesn't match ${SET_ORDER} list:\n${formatGoValue(order)}\n`,
      )
    }
    place++
  }
}

function sameItem(a: Value, b: Value, mergeKey: string): boolean {
  if (mergeKey === '' || !isMap(a) || !isMap(b)) return equalValues(a, b)
  return equalValues(own(a, mergeKey), own(b, mergeKey))
}

function mergeLists(field: FieldRules, original: readonly Value[], { patch, work }: Merged<readonly Value[]>): Value {
  const all = [...original, ...patch]
  work.charge(all.length)
  if (all.length === 0) return original
  const maps = all.filter(isMap).length
  if ((maps > 0 && maps < all.length) || all.some(isList)) {
    throw patchDoesNotFit(`list element types are not identical: ${formatGoValue(all)}`)
  }
  if (maps === 0) {
    const items = [...new Map(all.map((item) => [scalarIdentity(item), item])).values()]
    return orderItems({ items, wanted: patch, serverOrder: original, mergeKey: '' })
  }
  const itemShape = field.shape.kind === 'list' ? field.shape.item : NO_RULES.shape
  const { kept, additions, replaced } = applyItemDirectives(original, patch as readonly ValueMap[], field.mergeKey)
  if (replaced) return additions
  const items = [...kept]
  // If several items have the same key, the first of them is merged.
  const places = new Map(items.map((item, index) => [itemKey(item, field.mergeKey), index] as const).toReversed())
  const merged = new Set<number>()
  for (const item of additions) {
    const key = itemKey(item, field.mergeKey)
    const place = key === undefined ? undefined : places.get(key)
    if (place === undefined) {
      if (key !== undefined) places.set(key, items.length)
      items.push(item)
      continue
    }
    const merge = (): ValueMap => mergeMaps(itemShape, items[place] as ValueMap, item, work)
    items[place] = merged.has(place) ? work.repeat(merge) : merge()
    merged.add(place)
  }
  return orderItems({ items, wanted: additions, serverOrder: kept, mergeKey: field.mergeKey })
}

interface ItemDirectives {
  readonly kept: readonly Value[]
  readonly additions: readonly ValueMap[]
  readonly replaced: boolean
}

function applyItemDirectives(original: readonly Value[], patch: readonly ValueMap[], mergeKey: string): ItemDirectives {
  const additions: ValueMap[] = []
  const deleted = new Set<string>()
  let replaced = false
  for (const item of patch) {
    const directive = own(item, PATCH)
    switch (directive) {
      case undefined:
        requiredKey(item, mergeKey)
        additions.push(item)
        break
      case 'delete':
        deleted.add(requiredKey(item, mergeKey))
        break
      case 'replace':
        replaced = true
        break
      case 'merge':
        throw patchDoesNotFit('merging lists cannot yet be specified in the patch')
      default:
        throw patchDoesNotFit(`unknown patch type: ${formatGoValue(directive)} in map: ${formatGoValue(item)}`)
    }
  }
  if (replaced) return { kept: [], additions, replaced }
  const kept = deleted.size === 0 ? original : original.filter((item) => !deleted.has(itemKey(item, mergeKey) ?? ''))
  return { kept, additions, replaced }
}

/** The text of the item's merge key. Equal keys have equal texts. Undefined: the item has no key. */
function itemKey(item: Value, mergeKey: string): string | undefined {
  const key = isMap(item) ? own(item, mergeKey) : undefined
  return key === undefined ? undefined : formatGoValue(key)
}

function requiredKey(item: ValueMap, mergeKey: string): string {
  const key = itemKey(item, mergeKey)
  if (key === undefined) {
    throw patchDoesNotFit(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`)
  }
  return key
}
