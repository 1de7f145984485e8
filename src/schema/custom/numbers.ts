// What is wrong with a number: that it is none of its type or format, that it is no multiple, too large or too small.
import type { Node } from './node.ts'

export interface NumberFault {
  readonly text: string
  /** Told of no field in particular, as the reference does where a number does not fit its type. */
  readonly isNowhere: boolean
}

const MAX_INT32 = 2n ** 31n
const MAX_INT64 = 2n ** 63n
const MAX_FLOAT32 = 3.4028234663852886e38

export function numberFaults(node: Node, value: number | bigint, name: string): readonly NumberFault[] {
  const { format, multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum } = node.limits
  const faults: NumberFault[] = []
  const tell = (text: string): void => void faults.push({ text: `${name} in body should be ${text}`, isNowhere: false })
  if (!isInRange(node, value)) {
    const type = node.type
    const how = format === '' ? '(default format)' : `with format ${format}`
    faults.push({ text: `Checked value must be of type ${type} ${how} in ${name}`, isNowhere: true })
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) tell(`a multiple of ${multipleOf}`)
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    tell(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`)
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    tell(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`)
  }
  return faults
}

function isInRange({ type, limits: { format } }: Node, value: number | bigint): boolean {
  if (type === 'number') return format !== 'float' || Math.abs(Number(value)) <= MAX_FLOAT32
  if (type !== 'integer') return true
  if (typeof value === 'number' && !Number.isInteger(value)) return false
  const [integer, bound] = [BigInt(value), format === 'int32' ? MAX_INT32 : MAX_INT64]
  return integer >= -bound && integer < bound
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (factor === 0) return true
  if (typeof value === 'bigint') return Number.isInteger(factor) ? value % BigInt(factor) === 0n : true
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0
  return Number.isInteger(value / factor)
}
