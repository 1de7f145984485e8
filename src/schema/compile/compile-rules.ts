// Compiles what `proto/api` says that validation asks of single fields.
import type { CompiledRule, CompiledSchema } from '../table-compiled.ts'
import { type FormatName, FORMATS } from '../validation/formats.ts'
import type { Options } from './proto-options.ts'

const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[]

interface RuledField {
  readonly name: string
  readonly type: string
  readonly pointer: boolean
  readonly values: readonly string[] | undefined
}

export function compileRule(field: Options, { name, type, pointer, ...known }: RuledField): CompiledRule | undefined {
  const [options] = field.records('rules')
  if (options === undefined) return undefined
  const required = options.text('missing') ?? (options.flag('required') === true ? '' : undefined)
  const values = options.text('values')?.split('|') ?? known.values
  const format = options.oneOf('format', FORMAT_NAMES)
  const min = options.number('min')
  const max = options.number('max')
  const outOfBounds = options.text('out_of_bounds')
  const maxBytes = options.number('max_bytes')
  const maxItems = options.number('max_items')
  const rule: CompiledRule = {
    name,
    type,
    ...(pointer ? { pointer } : {}),
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
  checkRule(field.place, rule)
  return rule
}

const TEXTS: readonly string[] = ['string', '[]string']
const NUMBERS: readonly string[] = ['int32', 'int64', '[]int32', '[]int64']

/** A rule that the type of its field can never break says something else than it means. */
function checkRule(place: string, rule: CompiledRule): void {
  const { type, min, max, outOfBounds } = rule
  const ofTexts = rule.values ?? rule.format ?? rule.maxBytes
  const ofNumbers = min ?? max ?? outOfBounds
  const ofLists = rule.maxItems ?? rule.unique
  if (ofTexts !== undefined && !TEXTS.includes(type)) throw new Error(`${place}: has rules for texts and is none`)
  if (ofNumbers !== undefined && !NUMBERS.includes(type)) throw new Error(`${place}: has bounds and is no number`)
  if (ofLists !== undefined && !type.startsWith('[]')) throw new Error(`${place}: has rules for lists and is none`)
  if (rule.zeroToo === true && rule.required !== undefined) throw new Error(`${place}: is zero and required`)
  const isUsual = max === undefined ? min === undefined || min === 0 || min === 1 : min !== undefined
  if (!isUsual && outOfBounds === undefined) throw new Error(`${place}: has bounds that there are no words for`)
}

/** The rules of all types, one line a type. */
export function formatRules({ files }: CompiledSchema): string {
  const lines = files.flatMap(({ stem, types }) =>
    types.flatMap(({ name, rules }) =>
      rules === undefined ? [] : [`${JSON.stringify(`${stem}.${name}`)}:${JSON.stringify(rules)}`],
    ),
  )
  return `{\n${lines.join(',\n')}\n}\n`
}
