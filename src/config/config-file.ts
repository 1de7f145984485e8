// The configuration file: flags by their names, in YAML or JSON. A schema that is made from the table of flags checks the file.
import { readFileSync } from 'node:fs'
import { suggestion } from '../lib/closest-word.ts'
import { type Flag, FLAGS, flagNames, type FlagName } from './flags.ts'
import type { Setting, Settings } from './settings.ts'
import { reasonOf, usageError } from './start-error.ts'

/** Throws a `StartError` of one line for a fault of the file. */
export async function readConfigFile(file: string): Promise<Settings> {
  const [{ load }, { Ajv }] = await Promise.all([import('js-yaml'), import('ajv')])
  let content: unknown
  try {
    content = load(readFileSync(file, 'utf8'), { filename: file }) ?? {}
  } catch (error) {
    throw usageError(`--config ${file}: cannot be read: ${firstLine(reasonOf(error))}`)
  }
  const validate = new Ajv({ allowUnionTypes: true }).compile(SCHEMA)
  if (!validate(content)) {
    const [fault] = validate.errors ?? []
    throw usageError(`--config ${file}: ${describeFault(fault)}`)
  }
  const settings = new Map<FlagName, Setting>()
  for (const [name, value] of Object.entries(content as Record<string, string | number | boolean | string[]>)) {
    const text = Array.isArray(value) ? value.join(',') : String(value)
    settings.set(name as FlagName, { text, source: `${name} in ${file}` })
  }
  return settings
}

const SCHEMA = Object.freeze({
  type: 'object',
  properties: Object.fromEntries(
    FLAGS.filter(({ name }) => name !== 'config').map((flag) => [flag.name, shapeOf(flag)]),
  ),
  additionalProperties: false,
})

function shapeOf({ kind }: Flag): object {
  switch (kind) {
    case 'switch':
      return { type: 'boolean' }
    case 'port':
    case 'count':
      return { type: 'integer' }
    case 'list':
      return { type: ['string', 'array'], items: { type: 'string' } }
    default:
      return { type: 'string' }
  }
}

interface Fault {
  readonly instancePath: string
  readonly keyword: string
  readonly message?: string
  readonly params: Readonly<Record<string, unknown>>
}

function describeFault(fault: Fault | undefined): string {
  if (fault?.keyword === 'additionalProperties') {
    const name = String(fault.params['additionalProperty'])
    return `unknown flag ${name}${suggestion(name, flagNames())}`
  }
  const where = fault?.instancePath.slice(1) ?? ''
  return `${where === '' ? 'the file' : where} ${fault?.message ?? 'is invalid'}`
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text
}
