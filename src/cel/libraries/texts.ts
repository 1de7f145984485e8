// What texts of the API hold: matches of patterns, URLs, quantities, versions, keys of JSON patches, names of objects.
import { addQuantities, asInt64, compareQuantities, parseQuantity, quantityToNumber } from '../../lib/quantity.ts'
import { type Quantity, signOfQuantity, subtractQuantities } from '../../lib/quantity.ts'
import { define, type FunctionDefinition, type Meter } from '../function.ts'
import { ArrayList, type CelValue, Fault, noSuchOverload, OpaqueValue } from '../value.ts'

function findAll([text, pattern, limit]: readonly CelValue[], meter: Meter): CelValue {
  if (typeof text !== 'string' || typeof pattern !== 'string') return noSuchOverload()
  if (limit !== undefined && typeof limit !== 'bigint') return noSuchOverload()
  const compiled = meter.pattern(pattern)
  if (compiled instanceof Fault) return compiled
  const most = limit === undefined || limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)
  const matcher = compiled.matcher(text)
  const found: string[] = []
  while (found.length < most && matcher.find()) {
    meter.work(1)
    found.push(matcher.group() ?? '')
  }
  return new ArrayList(found)
}

function find([text, pattern]: readonly CelValue[], meter: Meter): CelValue {
  const found = findAll([text ?? null, pattern ?? null, 1n], meter)
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
  define(JSON_PATCH_KEY, ['string_jsonpatch_escapeKey_string: (string) string'], ([text]) =>
    typeof text === 'string' ? text.replaceAll('~', '~0').replaceAll('/', '~1') : noSuchOverload(),
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
  return define(name, [`${id}: ${Q}.() ${result}`], ([value]) =>
    value instanceof QuantityValue ? compute(value.quantity) : noSuchOverload(),
  )
}

function onQuantities(
  name: string,
  result: string,
  compute: (a: Quantity, b: Quantity) => CelValue,
): FunctionDefinition {
  return define(name, [`quantity_${name}: ${Q}.(${Q}) ${result}`], ([a, b]) =>
    a instanceof QuantityValue && b instanceof QuantityValue ? compute(a.quantity, b.quantity) : noSuchOverload(),
  )
}

type Reckon = (a: Quantity, b: Quantity) => Quantity

function reckoning(name: string, compute: Reckon): FunctionDefinition {
  return define(name, [`quantity_${name}: ${Q}.(${Q}) ${Q}`, `quantity_${name}_int: ${Q}.(int) ${Q}`], ([a, b]) => {
    const other = typeof b === 'bigint' ? { unscaled: b, scale: 0, format: 'decimalSI' as const } : quantityOf(b)
    return a instanceof QuantityValue && other !== undefined
      ? new QuantityValue(compute(a.quantity, other))
      : noSuchOverload()
  })
}

function quantityOf(value: CelValue | undefined): Quantity | undefined {
  return value instanceof QuantityValue ? value.quantity : undefined
}

const QUANTITIES: readonly FunctionDefinition[] = [
  define('quantity', [`string_to_quantity: (string) ${Q}`], ([text]) => {
    if (typeof text !== 'string') return noSuchOverload()
    const parsed = parseQuantity(text)
    return parsed.ok ? new QuantityValue(parsed.quantity) : new Fault(parsed.message)
  }),
  define('isQuantity', ['is_quantity_string: (string) bool'], ([text]) =>
    typeof text === 'string' ? parseQuantity(text).ok : noSuchOverload(),
  ),
  define('sign', [`quantity_sign: (${Q}) int`], ([value]) =>
    value instanceof QuantityValue ? BigInt(signOfQuantity(value.quantity)) : noSuchOverload(),
  ),
  onQuantity('isInteger', 'bool', (quantity) => asInt64(quantity) !== undefined),
  onQuantity('asInteger', 'int', (quantity) => asInt64(quantity) ?? new Fault('cannot convert value to integer')),
  onQuantity('asApproximateFloat', 'double', quantityToNumber),
  onQuantities('isGreaterThan', 'bool', (a, b) => compareQuantities(a, b) > 0),
  onQuantities('isLessThan', 'bool', (a, b) => compareQuantities(a, b) < 0),
  onQuantities('compareTo', 'int', (a, b) => BigInt(compareQuantities(a, b))),
  reckoning('add', addQuantities),
  reckoning('sub', subtractQuantities),
]

export const TEXT_FORMS: readonly FunctionDefinition[] = [...PATTERNS, ...QUANTITIES]
