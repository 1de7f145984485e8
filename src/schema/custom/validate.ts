// Validates a value by a structural schema, with the reference's messages and in its order (W-431 to W-438). On updates, values
// that did not change are skipped (ratcheting).
import type { RE2JS } from 're2js'
import { type FaultList, faultsOf } from '../../api/fault-list.ts'
import {
  type FieldError,
  invalid,
  notSupported,
  quoted,
  Shown,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../../api/field-error.ts'
import { jsonText } from '../../api/json-text.ts'
import { re2js } from '../../lib/late-packages.ts'
import { FieldPath } from '../../api/field-path.ts'
import { equalValues, isList, isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import { correlatedItem } from './correlate.ts'
import { isOfFormat } from './formats.ts'
import type { Node, Restrictions } from './node.ts'
import { isNearInteger, numberFaults } from './numbers.ts'

interface ValueCheck {
  readonly node: Node
  readonly value: Value
  /** The stored value. Undefined: there is no value to compare with. */
  readonly old: Value | undefined
  /** The place of the value in its object. Empty: the whole object. */
  readonly at: string
  /** Compiled patterns by their text. */
  readonly patterns: Map<string, RE2JS | undefined>
  /** The value is a default. If its schema is int-or-string, the reference accepts every type. */
  readonly isDefault?: boolean
}

type Everywhere = Pick<ValueCheck, 'at' | 'patterns' | 'isDefault'>

export function validateValue(check: ValueCheck): readonly FieldError[] {
  return faultsOf((list) => new Run(list, check).visit(check.node, check.value, check.old))
}

/** The last step of a path, with the steps before it. */
interface Step {
  readonly up: Step | undefined
  /** The name of a member, or the index of an item. */
  readonly part: string | number
}

/** The result of checking a value by one of several schemas. */
interface Alternative {
  readonly faults: readonly FieldError[]
  readonly matched: number
}

/** The validation of one value, by its schema or by one of several alternative schemas. */
class Run {
  readonly errors: FaultList
  /** The number of matches, counted as in the reference. If all alternatives fail, the alternative with the most matches is reported. */
  matched = 0
  readonly #everywhere: Everywhere
  #reported: Set<string> | undefined
  /** Undefined: the whole value. */
  #path: Step | undefined

  constructor(errors: FaultList, everywhere: Everywhere) {
    this.errors = errors
    this.#everywhere = everywhere
  }

  /** Equal faults of several alternatives are reported once. */
  #add(error: FieldError): void {
    const text = `${error.field}: ${error.message}`
    this.#reported ??= new Set()
    if (this.#reported.has(text)) return
    this.#reported.add(text)
    this.errors.add(error)
  }

  visit(node: Node, value: Value, old: Value | undefined): void {
    if (old !== undefined && equalValues(value, old)) return
    this.#type(node, value)
    if (value !== null) {
      this.#junctors(node.limits, value)
      // The reference counts five checks: allOf and similar keywords, their result, the allowed values, the type, and the whole.
      this.matched += 5
    }
    if (typeof value === 'string') this.#text(node.limits, value)
    else if (typeof value === 'number' || typeof value === 'bigint') this.#number(node, value)
    else if (isList(value)) this.#items(node, value, old)
    this.#enum(node.limits, value)
    if (isMap(value)) this.#members(node, value, isMap(old) ? old : undefined)
  }

  #type(node: Node, value: Value): void {
    const types = node.intOrString ? this.#intOrString : node.type === '' ? ANY_TYPE : [node.type]
    const { format } = node.limits
    if (types.length === 0 && format === '') return
    if (value === null) {
      if (node.nullable || types.length === 0) this.matched++
      else this.#wrongType(types.join(','), 'null')
      return
    }
    this.matched++
    const found = typeOf(value)
    const hasFormat = format !== '' && (typeof value === 'string' || isList(value))
    const fits =
      types.includes(found) ||
      (found === 'integer' && types.includes('number')) ||
      (found === 'number' && types.includes('integer') && isNearInteger(Number(value))) ||
      // With a format, the reference treats lists as texts.
      (hasFormat && !types.includes('number') && !types.includes('integer'))
    if (fits) {
      this.matched++
      return
    }
    const showsFormat = format !== '' && !hasFormat
    if (showsFormat) this.#wrongType(format, FORMAT_OF_TYPE[found] ?? '')
    else this.#wrongType(types.join(','), found)
  }

  get #intOrString(): readonly string[] {
    return this.#everywhere.isDefault === true ? ANY_TYPE : INT_OR_STRING
  }

  #wrongType(wanted: string, found: string): void {
    this.#add(typeInvalid(this.#place(), found, `${this.#name()} in body must be of type ${wanted}: "${found}"`))
  }

  #text({ minLength, maxLength, pattern, format }: Restrictions, text: string): void {
    const fault = this.#lengthFault(text, minLength, maxLength) ?? this.#patternFault(text, pattern)
    if (fault !== undefined) this.#add(fault)
    if (format === '') return
    this.matched++
    if (!isOfFormat(format, text)) {
      const detail = `${this.#name()} in body must be of type ${format}: ${quoted(text)}`
      this.#add(typeInvalid(this.#place(), text, detail))
    }
  }

  #lengthFault(text: string, min: number | undefined, max: number | undefined): FieldError | undefined {
    if (min === undefined && max === undefined) return undefined
    const length = runeCount(text)
    if (max !== undefined && length > max) return tooLong(this.#place(), max)
    if (min === undefined || length >= min) return undefined
    return invalid(this.#place(), text, `${this.#name()} in body should be at least ${min} chars long`)
  }

  #patternFault(text: string, pattern: string): FieldError | undefined {
    if (pattern === '') return undefined
    const { patterns } = this.#everywhere
    let compiled = patterns.get(pattern)
    if (compiled === undefined && !patterns.has(pattern)) {
      compiled = compilePattern(pattern)
      patterns.set(pattern, compiled)
    }
    if (compiled === undefined || compiled.matcher(text).find()) return undefined
    return invalid(this.#place(), text, `${this.#name()} in body should match '${pattern}'`)
  }

  #number(node: Node, value: number | bigint): void {
    this.matched++
    for (const { shown, text } of numberFaults(node, value, this.#name())) {
      this.#add(
        shown === undefined ? invalid(this.#nowhere(), '', text) : invalid(this.#place(), new Shown(shown), text),
      )
    }
  }

  #items(node: Node, list: readonly Value[], old: Value | undefined): void {
    const { minItems, maxItems } = node.limits
    this.matched++
    if (node.items !== undefined) {
      const before = correlatedItem(node, isList(old) ? old : undefined)
      const { items } = node
      const up = this.#path
      for (const [i, item] of list.entries()) {
        this.#path = { up, part: i }
        this.visit(items, item, before?.(item))
      }
      this.#path = up
    }
    if (minItems !== undefined && list.length < minItems) {
      const detail = `${this.#name()} in body should have at least ${minItems} items`
      this.#add(invalid(this.#place(), list.length, detail))
    }
    if (maxItems !== undefined && list.length > maxItems) {
      this.#add(tooMany(this.#place(), list.length, maxItems))
    }
  }

  #enum({ enum: allowed }: Restrictions, value: Value): void {
    if (allowed === undefined || allowed.some((one) => equalValues(one, value))) return
    const words = allowed.map((one) => (typeof one === 'string' ? one : jsonText(one)))
    this.#add(notSupported(this.#place(), value, words))
  }

  #members(node: Node, map: ValueMap, old: ValueMap | undefined): void {
    const { limits, properties, additional } = node
    const { minProperties, maxProperties, required: names } = limits
    const count = minProperties === undefined && maxProperties === undefined ? 0 : Object.keys(map).length
    if (minProperties !== undefined && count < minProperties) {
      const detail = `${this.#name()} in body should have at least ${minProperties} properties`
      this.#add(invalid(this.#place(), count, detail))
    }
    if (maxProperties !== undefined && count > maxProperties) {
      this.#add(tooMany(this.#place(), count, maxProperties))
    }
    const up = this.#path
    for (const key of Object.keys(map)) {
      const property = properties?.get(key)
      const inner = property ?? (additional === 'any' ? undefined : additional)
      if (inner === undefined) continue
      // A message shows a dot before the key of a map, even at the start of the path.
      this.#path = { up, part: property === undefined && up === undefined ? `.${key}` : key }
      this.visit(inner, map[key] ?? null, old === undefined ? undefined : own(old, key))
    }
    for (const name of names) {
      if (Object.hasOwn(map, name)) continue
      this.#path = { up, part: name }
      this.#add(required(this.#place()))
    }
    this.#path = up
  }

  #junctors({ anyOf, oneOf, allOf, not }: Restrictions, value: Value): void {
    if (anyOf.length > 0) this.#anyOf(anyOf, value)
    if (oneOf.length > 0) this.#oneOf(oneOf, value)
    if (allOf.length > 0) this.#allOf(allOf, value)
    if (not !== undefined && this.#alternative(not, value).faults.length === 0) {
      this.#failed('must not validate the schema (not)')
    }
  }

  #anyOf(alternatives: readonly Node[], value: Value): void {
    let best: Alternative | undefined
    for (const node of alternatives) {
      const run = this.#alternative(node, value)
      if (run.faults.length === 0) {
        this.matched += run.matched
        return
      }
      if (best === undefined || run.matched > best.matched) best = run
    }
    this.#failed('must validate at least one schema (anyOf)')
    if (best !== undefined) this.#take(best)
  }

  #take(run: Alternative): void {
    this.matched += run.matched
    for (const fault of run.faults) this.#add(fault)
  }

  #oneOf(alternatives: readonly Node[], value: Value): void {
    let best: Alternative | undefined
    const valid: Alternative[] = []
    for (const node of alternatives) {
      const run = this.#alternative(node, value)
      if (run.faults.length === 0) valid.push(run)
      else if (best === undefined || run.matched > best.matched) best = run
    }
    const [first, second] = valid
    if (first !== undefined && second === undefined) {
      this.matched += first.matched
      return
    }
    const found = first === undefined ? 'Found none valid' : `Found ${valid.length} valid alternatives`
    this.#failed(`must validate one and only one schema (oneOf). ${found}`)
    if (first === undefined && best !== undefined) this.#take(best)
  }

  #allOf(all: readonly Node[], value: Value): void {
    let valid = 0
    for (const node of all) {
      const run = this.#alternative(node, value)
      if (run.faults.length === 0) valid++
      this.#take(run)
    }
    if (valid < all.length)
      this.#failed(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`)
  }

  #alternative(node: Node, value: Value): Alternative {
    let matched = 0
    const faults = faultsOf((list) => {
      const run = new Run(list, this.#everywhere)
      run.#path = this.#path
      try {
        run.visit(node, value, undefined)
      } finally {
        matched = run.matched
      }
    })
    return { faults, matched }
  }

  /** Reports a fault that has no field. */
  #failed(text: string): void {
    this.#add(invalid(this.#nowhere(), '', `${JSON.stringify(this.#name())} ${text}`))
  }

  #nowhere(): FieldPath {
    return FieldPath.root(this.#everywhere.at === '' ? '<nil>' : this.#everywhere.at)
  }

  #place(): FieldPath {
    const name = this.#name().replace(/^\./, '')
    const { at } = this.#everywhere
    if (at === '') return FieldPath.root(name === '' ? '<nil>' : name)
    return FieldPath.root(name === '' ? at : `${at}.${name}`)
  }

  /** The name of the current value in messages: its path below the checked value. */
  #name(): string {
    return nameOf(this.#path)
  }
}

/** If the schema has a format, the reference reports the found type as a format too. Most types have no format. */
const FORMAT_OF_TYPE: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' }

const INT_OR_STRING: readonly string[] = ['integer', 'string']
const ANY_TYPE: readonly string[] = []

function typeOf(value: Value): string {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  if (typeof value === 'bigint') return 'integer'
  if (isList(value)) return 'array'
  return isMap(value) ? 'object' : typeof value
}

/** The length in code points: a surrogate pair counts as one. */
function runeCount(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--
  return count
}

function compilePattern(pattern: string): RE2JS | undefined {
  try {
    return re2js().RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}

function nameOf(step: Step | undefined): string {
  if (step === undefined) return ''
  const { up, part } = step
  if (typeof part === 'number') return `${nameOf(up)}[${part}]`
  return up === undefined ? part : `${nameOf(up)}.${part}`
}
