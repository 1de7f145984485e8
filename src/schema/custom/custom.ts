// The front door: the schema of a custom kind in one version. It is compiled when it is first needed, to nodes (`node.ts`) and to the
// records that built-in kinds have too (`table.ts`). It prunes, defaults and validates.
import type { RE2JS } from 're2js'
import type { FieldError, FieldErrorReason } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { asMap } from '../../api/members.ts'
import { own, setOwn, type Value, type ValueMap } from '../../api/value.ts'
import { type Decoded, decodeObject } from '../decode.ts'
import { duplicatesIn, ExactMap, plainValue, type SourceValue } from '../exact-value.ts'
import { decodeCustom, pruneUnknown } from '../prune.ts'
import type { ObjectShape } from '../table.ts'
import { embeddedFaults, type ObjectRules } from './embedded.ts'
import { fillDefaults } from './fill.ts'
import { repeatedItems } from './keyed-lists.ts'
import { RuleMeasures, timed } from './measures.ts'
import { compileNode, type Node } from './node.ts'
import type { CompiledRule } from './rule.ts'
import { runRules } from './run-rules.ts'
import { objectShape } from './shape.ts'
import { validateValue } from './validate.ts'

export { isRecognizedFormat } from './formats.ts'
export { RuleMeasures } from './measures.ts'
export { followPath } from './schema-path.ts'
export { type CompiledRule, compileRule, type RuleText, ruleTextOf } from './rule.ts'

/** The largest number of duplicate fields that are reported. */
const MAX_PROBLEMS = 100

/** Returns the `openAPIV3Schema`. Undefined: objects may have any content. */
type SchemaSource = () => ValueMap | undefined

/** The compiled parts of a schema. Each is made when it is first needed, from the schema alone. */
class CompiledSchema {
  readonly patterns = new Map<string, RE2JS | undefined>()
  readonly rules = new WeakMap<Node, readonly CompiledRule[]>()
  readonly #source: SchemaSource
  readonly #metadata: ObjectShape
  #node: Node | undefined
  #shape: ObjectShape | undefined

  constructor(source: SchemaSource, metadata: ObjectShape) {
    this.#source = source
    this.#metadata = metadata
  }

  get node(): Node {
    this.#node ??= compileNode(this.#source() ?? ANYTHING, 'root')
    return this.#node
  }

  get shape(): ObjectShape {
    this.#shape ??= objectShape(this.node, '', this.#metadata)
    return this.#shape
  }
}

export class CustomSchema {
  readonly #compiled: CompiledSchema
  readonly #metadata: ObjectShape
  readonly #measures: RuleMeasures

  constructor(source: SchemaSource | CompiledSchema, metadata: ObjectShape, measures = new RuleMeasures()) {
    this.#compiled = source instanceof CompiledSchema ? source : new CompiledSchema(source, metadata)
    this.#metadata = metadata
    this.#measures = measures
  }

  /** The same schema for another server with measures of its own. The schemas share the compiled parts. */
  sharedWith(measures: RuleMeasures | undefined): CustomSchema {
    return new CustomSchema(this.#compiled, this.#metadata, measures)
  }

  get node(): Node {
    return this.#compiled.node
  }

  get shape(): ObjectShape {
    return this.#compiled.shape
  }

  /** Decodes an object from a client and drops unknown fields. Throws `DecodeError`. */
  decode(source: SourceValue): Decoded {
    const value = source instanceof ExactMap ? plainValue(source) : (source as Value)
    const duplicates = source instanceof ExactMap ? duplicatesIn(source, MAX_PROBLEMS) : []
    const map = asMap(value)
    return decodeCustom({ value: map, duplicates }, { shape: this.shape, metadata: this.#metadata })
  }

  /** The object with its defaults, and without nulls that the schema does not allow. Returns the same object if nothing changes. */
  withDefaults<T extends ValueMap>(object: T): T {
    return fillDefaults(object, this.node) as T
  }

  /** A stored object without unknown fields and with its defaults, as clients see it. Returns the same object if nothing changes. */
  shown<T extends ValueMap>(object: T): T {
    return this.withDefaults(this.known(object))
  }

  /** The object without unknown fields. */
  known<T extends ValueMap>(object: T): T {
    return pruneUnknown(object, this.shape, this.#metadata).value as T
  }

  /** The form for storage, with canonical metadata. Patches and admission can return objects in other forms. */
  canonical<T extends ValueMap>(object: T): T {
    const metadata = decodeObject(own(object, 'metadata') ?? {}, this.#metadata).value
    const shown = this.shown(object)
    if (metadata === own(object, 'metadata')) return shown
    const out: Record<string, Value> = {}
    for (const key of Object.keys(shown)) setOwn(out, key, key === 'metadata' ? metadata : (shown[key] ?? null))
    return out as T
  }

  /** The faults of the object's values by the schema, without its CEL rules. Parts that equal `old` are skipped. */
  faults(object: ValueMap, old: ValueMap | undefined): readonly FieldError[] {
    return validateValue({ node: this.node, value: object, old, at: '', patterns: this.#compiled.patterns })
  }

  /** The faults of the values in the status only (W-441). */
  statusFaults(object: ValueMap, old: ValueMap): readonly FieldError[] {
    const node = this.node.properties?.get('status')
    const status = own(object, 'status')
    if (node === undefined || status === undefined) return []
    return validateValue({
      node,
      value: status,
      old: own(old, 'status'),
      at: 'status',
      patterns: this.#compiled.patterns,
    })
  }

  /** The faults of duplicate items in lists of type set or map. If the stored object has duplicates, none are reported (W-439). */
  repeated(object: ValueMap, old: ValueMap | undefined): readonly FieldError[] {
    if (!this.node.hasKeyedLists) return []
    if (old !== undefined && repeatedItems(this.node, old).length > 0) return []
    return repeatedItems(this.node, object)
  }

  /** The faults of the object by its CEL rules. `others` are earlier faults: after some kinds of faults, no rules are run. */
  ruleFaults(
    object: ValueMap,
    old: ValueMap | undefined,
    { others, warn }: { readonly others: readonly FieldError[]; readonly warn: (text: string) => void },
  ): readonly FieldError[] {
    const { node } = this
    if (!node.hasRules) return []
    if (others.some(({ reason }) => BLOCKING.has(reason))) return [NOT_TRIED]
    const { compilations, evaluations, mostCost } = this.#measures
    const compiled = this.#compiled.rules
    const run = { node, value: object, old, warn, compiled, compilations: compilations.of(), mostCost }
    return timed(evaluations.of(), () => runRules(run))
  }

  embedded(object: ValueMap, rules: ObjectRules): readonly FieldError[] {
    return this.node.hasEmbedded ? embeddedFaults(this.node, object, rules) : []
  }
}

/** The faults of a default by its schema. `at` is the place of the default. */
export function defaultFaults(
  schema: ValueMap,
  value: Value,
  at: FieldPath,
  rules: ObjectRules,
): readonly FieldError[] {
  const node = compileNode(schema)
  const embedded = node.hasEmbedded ? embeddedFaults(node, value, rules, at) : []
  if (embedded.length > 0) return embedded
  const faults = validateValue({
    node,
    value,
    old: undefined,
    at: at.toString(),
    patterns: new Map(),
    isDefault: true,
  })
  if (faults.length > 0 || !node.hasRules) return faults
  const compiled: WeakMap<Node, readonly CompiledRule[]> = new WeakMap()
  // The default must be valid where it stays, and where it is new.
  const staying = runRules({ node, value, old: value, at, compiled })
  return staying.length > 0 ? staying : runRules({ node, value, old: undefined, at, compiled })
}

/** After such faults no rules are run: they could fail because of the fault (W-437). */
const BLOCKING: ReadonlySet<FieldErrorReason> = new Set<FieldErrorReason>([
  'FieldValueTypeInvalid',
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
])

const NOT_TRIED: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
}

const ANYTHING: ValueMap = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
