// Collects the settings of the command line, the environment and the configuration file, in this order of precedence. Values
// are texts here. `config.ts` parses them.
import { parseArgs } from 'node:util'
import { suggestion } from '../lib/closest-word.ts'
import type { Setting } from './flag.ts'
import { environmentName, type Flag, FLAGS, type FlagName } from './flags.ts'
import { usageError } from './start-error.ts'

export type { Setting }

export type Settings<Name extends string = FlagName> = ReadonlyMap<Name, Setting>

/** Throws a `StartError` for an argument that is not a flag of `quarterdeck serve`. */
export function readArguments(args: readonly string[]): Settings {
  const { settings, operands } = readFlags(FLAGS, args)
  if (operands[0] !== undefined) throw usageError(`unexpected argument "${operands[0]}"`)
  return settings
}

interface GivenArguments<Name extends string> {
  readonly settings: Settings<Name>
  /** The other arguments. */
  readonly operands: readonly string[]
}

/** A list flag may be repeated. Throws a `StartError` for an unknown flag, and suggests the nearest one. */
export function readFlags<Name extends string>(
  flags: readonly (Flag & { readonly name: Name })[],
  args: readonly string[],
  { hint = '' } = {},
): GivenArguments<Name> {
  const options = Object.fromEntries(
    flags.map(({ name, kind, short }) => [
      name,
      {
        type: kind === 'switch' ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  )
  // Programs in Go take `-o=json` for `-o json`.
  const spelled = args.map((argument) => argument.replace(/^(-[a-z])=/, '$1'))
  const { tokens } = parseArgs({ args: spelled, options, strict: false, tokens: true })
  const byName = new Map(flags.map((flag) => [flag.name as string, flag]))
  const settings = new Map<Name, Setting>()
  const operands: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    const { name: named, rawName: source, inlineValue } = token
    const flag = byName.get(named)
    if (flag === undefined) {
      const meant = source.startsWith('--') ? suggestion(named, byName.keys(), '--') : ''
      throw usageError(`unknown flag ${source}${meant === '' ? hint : meant}`)
    }
    const text = token.value ?? (flag.kind === 'switch' ? 'true' : undefined)
    // If a flag stands where a value is expected, the value is missing.
    if (text === undefined || (inlineValue === false && text.startsWith('--'))) {
      throw usageError(`${source} needs a value${hint}`)
    }
    const joint = flag.kind === 'pairs' ? ';' : flag.kind === 'list' || flag.kind === 'gates' ? ',' : undefined
    const earlier = joint === undefined ? undefined : settings.get(flag.name)
    settings.set(flag.name, { text: earlier === undefined ? text : `${earlier.text}${joint}${text}`, source })
  }
  return { settings, operands }
}

/** Reads the variables `QUARTERDECK_…`. Throws an error for a variable without a flag. */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Settings {
  const names = new Map(FLAGS.map(({ name }) => [environmentName(name), name]))
  const settings = new Map<FlagName, Setting>()
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith('QUARTERDECK_') || text === undefined) continue
    const name = names.get(variable)
    if (name === undefined)
      throw usageError(`unknown environment variable ${variable}${suggestion(variable, names.keys())}`)
    settings.set(name, { text, source: variable })
  }
  return settings
}

/** Earlier settings win. */
export function mergeSettings(...all: readonly Settings[]): Settings {
  return new Map(all.toReversed().flatMap((settings) => [...settings]))
}
