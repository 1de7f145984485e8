// Regular expressions, quantities, and keys of JSON patches.
import { addQuantities, asInt64, compareQuantities, parseQuantity, quantityToNumber } from '../../lib/quantity.ts'
import { type Quantity, signOfQuantity, subtractQuantities } from '../../lib/quantity.ts'
import { define, type FunctionDefinition, type Meter } from '../function.ts'
import { ArrayList, type CelValue, Fault, OpaqueValue } from '../value.ts'

function findAll([text, pattern, limit]: [string, string, bigint?], meter: Meter): CelValue {
  const compiled = meter.pattern(pattern)
  if (compiled instanceof Fault) return compiled
  const most = limit === undefined || limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)
  const matcher = compiled.re2.matcher(text)
  const found: string[] = []
  meter.work(compiled.steps(text.length))
  while (found.length < most && matcher.find()) {
    // The next search may read all of the rest.
    meter.work(1 + compiled.steps(text.length - matcher.end()))
    found.push(matcher.group() ?? '')
  }
  return new ArrayList(found)
}

function find([text, pattern]: [string, string], meter: Meter): CelValue {
  const found = findAll([text, pattern, 1n], meter)
  return found instanceof ArrayList ? (found.items[0] ?? '') : found
}

export const JSON_PATCH_KEY = 'jsonpatch.escapeKey'

const PATTERNS: readonly FunctionDefinition[] = [
  define('find', ['string_find_string: string.(string) string'], find),
  define(
    'findAll',
    [
      'string_find_all_string: string.(string) list(string)',
      'string_find_all_string_int: string.(string, int) list(string)',
    ],
    findAll,
  ),
  define(JSON_PATCH_KEY, ['string_jsonpatch_escapeKey_string: (string) string'], ([text]: [string]) =>
    text.replaceAll('~', '~0').replaceAll('/', '~1'),
  ),
]

class QuantityValue extends OpaqueValue {
  readonly typeName = 'kubernetes.Quantity'
  readonly quantity: Quantity

  constructor(quantity: Quantity) {
    super()
    this.quantity = quantity
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0
  }
}

const Q = 'kubernetes.Quantity'

function onQuantity(name: string, result: string, compute: (quantity: Quantity) => CelValue): FunctionDefinition {
  const id = `quantity_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
  return define(name, [`${id}: ${Q}.() ${result}`], ([{ quantity }]: [QuantityValue]) => compute(quantity))
}

type Two = [QuantityValue, QuantityValue]

function comparison(name: string, result: string, of: (order: number) => CelValue): FunctionDefinition {
  return define(name, [`quantity_${name}: ${Q}.(${Q}) ${result}`], ([a, b]: Two) =>
    of(compareQuantities(a.quantity, b.quantity)),
  )
}

function arithmetic(name: string, compute: (a: Quantity, b: Quantity) => Quantity): FunctionDefinition {
  const signatures = [`quantity_${name}: ${Q}.(${Q}) ${Q}`, `quantity_${name}_int: ${Q}.(int) ${Q}`]
  return define(name, signatures, ([a, b]: [QuantityValue, QuantityValue | bigint]) => {
    const other = typeof b === 'bigint' ? { unscaled: b, scale: 0, format: 'decimalSI' as const } : b.quantity
    return new QuantityValue(compute(a.quantity, other))
  })
}

const QUANTITIES: readonly FunctionDefinition[] = [
  define('quantity', [`string_to_quantity: (string) ${Q}`], ([text]: [string]) => {
    const parsed = parseQuantity(text)
    return parsed.ok ? new QuantityValue(parsed.quantity) : new Fault(parsed.message)
  }),
  define('isQuantity', ['is_quantity_string: (string) bool'], ([text]: [string]) => parseQuantity(text).ok),
  define('sign', [`quantity_sign: (${Q}) int`], ([{ quantity }]: [QuantityValue]) => BigInt(signOfQuantity(quantity))),
  onQuantity('isInteger', 'bool', (quantity) => asInt64(quantity) !== undefined),
  onQuantity('asInteger', 'int', (quantity) => asInt64(quantity) ?? new Fault('cannot convert value to integer')),
  onQuantity('asApproximateFloat', 'double', quantityToNumber),
  comparison('isGreaterThan', 'bool', (order) => order > 0),
  comparison('isLessThan', 'bool', (order) => order < 0),
  comparison('compareTo', 'int', BigInt),
  arithmetic('add', addQuantities),
  arithmetic('sub', subtractQuantities),
]

export const TEXT_FORMS: readonly FunctionDefinition[] = [...PATTERNS, ...QUANTITIES]
