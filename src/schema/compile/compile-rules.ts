// Compiles the validation rules that `proto/api` declares for single fields.
import { givenMembers } from '../../lib/given-members.ts'
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
  const isRequired = options.isTrue('required')
  const rule = givenMembers({
    name,
    type,
    pointer: pointer ? (true as const) : undefined,
    required: options.text('missing') ?? (isRequired && ''),
    zeroToo: options.isTrue('zero_too'),
    values: options.text('values')?.split('|') ?? known.values,
    format: options.oneOf('format', FORMAT_NAMES),
    min: options.number('min'),
    max: options.number('max'),
    outOfBounds: options.text('out_of_bounds'),
    maxBytes: options.number('max_bytes'),
    maxItems: options.number('max_items'),
    unique: options.isTrue('unique'),
    immutable: options.isTrue('immutable'),
  })
  options.done()
  checkRule(field.place, rule)
  return rule
}

const TEXTS: readonly string[] = ['string', '[]string']
const NUMBERS: readonly string[] = ['int32', 'int64', '[]int32', '[]int64']

/** Throws if no value of the field can break the rule, or if parts of the rule contradict each other. */
function checkRule(place: string, rule: CompiledRule): void {
  const { type, min, max, outOfBounds } = rule
  const ofTexts = rule.values ?? rule.format ?? rule.maxBytes
  const ofNumbers = min ?? max ?? outOfBounds
  const ofLists = rule.maxItems ?? rule.unique
  if (ofTexts !== undefined && !TEXTS.includes(type))
    throw new Error(`${place}: has rules for texts, but is not a text`)
  if (ofNumbers !== undefined && !NUMBERS.includes(type)) throw new Error(`${place}: has bounds and is not a number`)
  if (ofLists !== undefined && !type.startsWith('[]'))
    throw new Error(`${place}: has rules for lists, but is not a list`)
  if (rule.zeroToo === true && rule.required !== undefined) throw new Error(`${place}: has zero_too and is required`)
  const isUsual = max === undefined ? min === undefined || min === 0 || min === 1 : min !== undefined
  if (!isUsual && outOfBounds === undefined) throw new Error(`${place}: has bounds that need out_of_bounds`)
}

/** The rules of all types, one line for each type. */
export function formatRules({ files }: CompiledSchema): string {
  const lines = files.flatMap(({ stem, types }) =>
    types.flatMap(({ name, rules }) =>
      rules === undefined ? [] : [`${JSON.stringify(`${stem}.${name}`)}:${JSON.stringify(rules)}`],
    ),
  )
  return `{\n${lines.join(',\n')}\n}\n`
}
