// Compiles what `proto/api` says that validation asks of single fields.
import type { CompiledFieldRules } from '../table-compiled.ts'
import { type FormatName, FORMATS } from '../validation/formats.ts'
import type { Options } from './proto-options.ts'

const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[]

export function compileRules(field: Options): CompiledFieldRules | undefined {
  const [options] = field.records('rules')
  if (options === undefined) return undefined
  const required = options.text('missing') ?? (options.flag('required') === true ? '' : undefined)
  const values = options.text('values')?.split('|')
  const format = options.oneOf('format', FORMAT_NAMES)
  const min = options.number('min')
  const max = options.number('max')
  const outOfBounds = options.text('out_of_bounds')
  const maxBytes = options.number('max_bytes')
  const maxItems = options.number('max_items')
  const rules: CompiledFieldRules = {
    ...(required === undefined ? {} : { required }),
    ...(options.flag('zero_too') === true ? { zeroToo: true } : {}),
    ...(values === undefined ? {} : { values }),
    ...(format === undefined ? {} : { format }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(outOfBounds === undefined ? {} : { outOfBounds }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(maxItems === undefined ? {} : { maxItems }),
    ...(options.flag('unique') === true ? { unique: true } : {}),
    ...(options.flag('immutable') === true ? { immutable: true } : {}),
  }
  options.done()
  return rules
}
