// Evaluates the validation rules of a schema on an object, from the top down, within a cost budget for the object (P-335 to
// P-342). Values that did not change get warnings instead of errors, except from transition rules.
import { type FaultList, faultsOf } from '../../api/fault-list.ts'
import { duplicate, type FieldError, forbidden, invalid, OMITTED, required, type Shown } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { equalValues, isList, isMap, own, type Value } from '../../api/value.ts'
import { NONE, type Program, typeOfSchema } from '../../cel/cel.ts'
import { TooLongHere } from '../../api/status.ts'
import type { Distribution } from '../../lib/measure.ts'
import { correlatedItem } from './correlate.ts'
import { timed } from './measures.ts'
import type { Node } from './node.ts'
import { followPath } from './schema-path.ts'
import { type CompiledRule, compileRule, type RuleText } from './rule.ts'

/** The cost limits of one rule, and of all rules on one object. */
const RULE_COST = 1_000_000
const OBJECT_COST = 10_000_000
const LONGEST_MESSAGE = 5 * 1024
/** The cost of compiling one character of a rule, in the unit of evaluation costs. */
const COMPILATION_COST_PER_CHARACTER = 25

export interface RuleRun {
  readonly node: Node
  readonly value: Value
  readonly old: Value | undefined
  /** The place of the value. Absent: the value is the whole object. */
  readonly at?: FieldPath
  /** Called with faults of unchanged values. Absent: they are errors. */
  readonly warn?: (text: string) => void
  readonly compiled: WeakMap<Node, readonly CompiledRule[]>
  readonly compilations?: Distribution
  readonly mostCost?: number
}

export function runRules(given: RuleRun): readonly FieldError[] {
  const { node, value, old, at } = given
  return faultsOf((errors) => new Run(errors, given).visit(node, value, { at, old, within: undefined }))
}

interface Place {
  /** Undefined: the whole object. */
  readonly at: FieldPath | undefined
  readonly old: Value | undefined
  /** The value that contains this value. Undefined at the top. */
  readonly within: { readonly value: Value; readonly place: Place } | undefined
}

class Run {
  readonly #errors: FaultList
  readonly #warn: ((text: string) => void) | undefined
  readonly #compiled: WeakMap<Node, readonly CompiledRule[]>
  readonly #compilations: Distribution | undefined
  /** The rest of the cost limit for this thread. */
  #left: number
  #budget = OBJECT_COST
  #isOver = false

  constructor(errors: FaultList, { warn, compiled, compilations, mostCost = Infinity }: RuleRun) {
    this.#errors = errors
    this.#warn = warn
    this.#compiled = compiled
    this.#compilations = compilations
    this.#left = mostCost
  }

  visit(node: Node, value: Value, place: Place): void {
    if (!node.hasRules || this.#isOver || value === null) return
    for (const rule of this.#rulesOf(node)) {
      this.#run(rule, { node, value, place })
      if (this.#isOver) return
    }
    if (isMap(value)) this.#members(node, value, place)
    else if (isList(value) && node.items !== undefined) this.#items(node, value, place)
  }

  #members(node: Node, map: Readonly<Record<string, Value>>, whole: Place): void {
    const { at, old } = whole
    const before = isMap(old) ? old : undefined
    const within = { value: map, place: whole }
    for (const key of Object.keys(map)) {
      const property = node.properties?.get(key)
      const inner = property ?? node.additional
      if (inner === undefined || inner === 'any' || !inner.hasRules) continue
      const place = property === undefined ? at?.key(key) : at?.child(key)
      this.visit(inner, map[key] ?? null, {
        at: place ?? FieldPath.root(key),
        old: before === undefined ? undefined : own(before, key),
        within,
      })
    }
  }

  #items(node: Node, list: readonly Value[], whole: Place): void {
    const { at, old } = whole
    if (node.items === undefined || !node.items.hasRules || at === undefined) return
    const before = correlatedItem(node, isList(old) ? old : undefined)
    const within = { value: list, place: whole }
    for (const [i, item] of list.entries()) {
      this.visit(node.items, item, { at: at.index(i), old: before?.(item), within })
    }
  }

  #rulesOf(node: Node): readonly CompiledRule[] {
    if (node.ruleSchema === undefined) return NO_RULES
    const known = this.#compiled.get(node)
    if (known !== undefined) return known
    const { ruleSchema } = node
    for (const { rule, messageExpression = '' } of node.rules) {
      this.#spend((rule.length + messageExpression.length) * COMPILATION_COST_PER_CHARACTER)
    }
    const made = timed(this.#compilations, () => {
      const type = typeOfSchema(ruleSchema, node.resource)
      return node.rules.map((text) => compileRule(text, type))
    })
    this.#compiled.set(node, made)
    return made
  }

  #run(rule: CompiledRule, found: Found): void {
    const { node, value, place } = found
    const at = place.at ?? NOWHERE
    const isOptional = rule.text.optionalOldSelf === true
    if (rule.problem !== undefined) {
      this.#errors.add(invalid(at, node.type, `rule compile error: ${rule.problem}`))
      return
    }
    if (rule.program === undefined || (rule.isTransition && place.old === undefined && !isOptional)) return
    const bindings = { self: value, oldSelf: place.old ?? (isOptional ? NONE : undefined) }
    const result = this.#evaluate(rule.program, bindings)
    if (result.cost > this.#budget) {
      const why = 'validation failed due to running out of cost budget, no further validation rules will be run'
      this.#stop(invalid(at, node.type, why))
      return
    }
    this.#budget -= result.cost
    switch (result.kind) {
      case 'value':
        if (result.value !== true) this.#fail(rule, found, bindings)
        return
      case 'overBudget': {
        const why = 'no further validation rules will be run due to call cost exceeds limit for rule'
        this.#stop(invalid(at, node.type, `'${OVER_LIMIT}': ${why}: ${shown(rule.text)}`))
        return
      }
      case 'error':
        this.#errors.add(invalid(at, node.type, failure(result.message, rule.text)))
    }
  }

  #evaluate(program: Program, bindings: Bindings): Evaluation {
    const result = program.evaluate(bindings, Math.min(RULE_COST, this.#left))
    this.#spend(result.cost)
    return result
  }

  #spend(cost: number): void {
    this.#left -= cost
    if (this.#left < 0) throw new TooLongHere()
  }

  #fail(rule: CompiledRule, { node, value, place }: Found, bindings: Bindings): void {
    const { text } = rule
    const at = placeOf(node, place.at, text.fieldPath)
    const made = this.#message(rule, bindings)
    if (made.kind === 'overBudget') {
      this.#isOver = true
      this.#report(rule, invalid(at, node.type, made.why), { value, place })
      return
    }
    const message = made.text ?? (text.message.trim() || `failed rule: ${text.rule.trim()}`)
    this.#report(rule, faultOf({ at, text, message, value: typeof value === 'object' ? OMITTED : value }), {
      value,
      place,
    })
  }

  /** Reports a fault. An unchanged value does not fail an update, but causes a warning (P-342). */
  #report(
    rule: CompiledRule,
    error: FieldError,
    { value, place }: { readonly value: Value; readonly place: Place },
  ): void {
    if (this.#warn !== undefined && !rule.isTransition && isUnchanged(value, place)) {
      this.#warn(`${error.field}: ${error.message}`)
    } else this.#errors.add(error)
  }

  /** The result of the message expression. The text is undefined if there is no expression, or its result cannot be shown. */
  #message({ message, text }: CompiledRule, bindings: Bindings): Message {
    if (message === undefined) return NO_MESSAGE
    const result = this.#evaluate(message, bindings)
    if (result.cost > this.#budget) {
      const why = 'messageExpression evaluation failed due to running out of cost budget'
      return { kind: 'overBudget', why: `${why}, no further validation rules will be run` }
    }
    if (result.kind === 'overBudget') {
      const why = 'no further validation rules will be run due to call cost exceeds limit for messageExpression'
      return { kind: 'overBudget', why: `${why}: ${JSON.stringify(text.messageExpression)}` }
    }
    this.#budget -= result.cost
    if (result.kind !== 'value' || typeof result.value !== 'string') return NO_MESSAGE
    const made = result.value.trim()
    const isOdd = made === '' || made.includes('\n') || Buffer.byteLength(made) > LONGEST_MESSAGE
    return isOdd ? NO_MESSAGE : { kind: 'made', text: made }
  }

  #stop(error: FieldError): void {
    this.#errors.add(error)
    this.#isOver = true
  }
}

type Bindings = Parameters<Program['evaluate']>[0]
type Evaluation = ReturnType<Program['evaluate']>

type Message =
  | { readonly kind: 'made'; readonly text: string | undefined }
  | { readonly kind: 'overBudget'; readonly why: string }

const NO_MESSAGE: Message = Object.freeze({ kind: 'made', text: undefined })

/** A value without a counterpart, such as an item of a list without keys, is unchanged if its container is unchanged. */
function isUnchanged(value: Value, { old, within }: Place): boolean {
  if (old !== undefined && equalValues(old, value)) return true
  return within !== undefined && isUnchanged(within.value, within.place)
}

interface Found {
  readonly node: Node
  readonly value: Value
  readonly place: Place
}

const NO_RULES: readonly CompiledRule[] = Object.freeze([])
const NOWHERE = FieldPath.root('<nil>')
const OVER_LIMIT = 'operation cancelled: actual cost limit exceeded'

function shown({ message, rule }: RuleText): string {
  return (message === '' ? rule : message).trim()
}

function failure(message: string, text: RuleText): string {
  if (!message.startsWith('no such overload')) return `${message} evaluating rule: ${shown(text)}`
  const why = 'call arguments did not match a supported operator, function or macro signature for rule'
  return `'${message}': ${why}: ${shown(text)}`
}

/** The place of a rule's `fieldPath`, such as `.kind`, below the node. */
function placeOf(node: Node, at: FieldPath | undefined, path: string): FieldPath {
  const followed = path === '' ? undefined : followPath(path, node.ruleSchema ?? {}, true)
  const below = followed?.kind === 'found' ? followed.text : ''
  if (below === '') return at ?? NOWHERE
  return at?.child(below) ?? FieldPath.root(below)
}

interface FaultParts {
  readonly at: FieldPath
  readonly text: RuleText
  readonly message: string
  readonly value: Value | Shown
}

function faultOf({ at, text, message, value }: FaultParts): FieldError {
  switch (text.reason) {
    case 'FieldValueForbidden':
      return forbidden(at, message)
    case 'FieldValueRequired':
      return required(at, message)
    case 'FieldValueDuplicate':
      // The reference reports only the value of a duplicate, never the message of the rule.
      return duplicate(at, value)
    default:
      return invalid(at, value, message)
  }
}
