// Collects what is set on the command line, in the environment and in the configuration file, in this order of precedence. Values
// are still text here; `config.ts` reads them.
import { parseArgs } from 'node:util'
import { suggestion } from '../lib/closest-word.ts'
import { environmentName, findFlag, FLAGS, flagNames, type FlagName } from './flags.ts'
import { usageError } from './start-error.ts'

export interface Setting {
  readonly text: string
  /** What to call it in a message: `--secure-port`, `QUARTERDECK_SECURE_PORT`, `secure-port in x.yaml`. */
  readonly source: string
}

export type Settings = ReadonlyMap<FlagName, Setting>

/** Lists may be given in parts. Throws a `StartError` for what is not a flag of ours, with the one that was probably meant. */
export function readArguments(args: readonly string[]): Settings {
  const options = Object.fromEntries(
    FLAGS.map(({ name, kind }) => [name, { type: kind === 'switch' ? ('boolean' as const) : ('string' as const) }]),
  )
  // The one flag of the reference's that has a short name.
  const spelled = args.map((argument) => argument.replace(/^-v(?==|$)/, '--v'))
  const { tokens } = parseArgs({ args: spelled, options, strict: false, tokens: true })
  const settings = new Map<FlagName, Setting>()
  for (const token of tokens) {
    if (token.kind === 'positional') throw usageError(`unexpected argument "${token.value}"`)
    if (token.kind !== 'option') continue
    const flag = findFlag(token.name)
    if (flag === undefined)
      throw usageError(`unknown flag ${token.rawName}${suggestion(token.name, flagNames(), '--')}`)
    const text = token.value ?? (flag.kind === 'switch' ? 'true' : undefined)
    if (text === undefined) throw usageError(`${token.rawName} needs a value`)
    const { name } = flag
    const joint = flag.kind === 'pairs' ? ';' : flag.kind === 'list' || flag.kind === 'gates' ? ',' : undefined
    const earlier = joint === undefined ? undefined : settings.get(name)
    settings.set(name, { text: earlier === undefined ? text : `${earlier.text}${joint}${text}`, source: token.rawName })
  }
  return settings
}

/** `QUARTERDECK_…` of every flag. Throws for a variable that looks like one of ours and is not. */
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

/** The first of several that has a setting wins. */
export function mergeSettings(...all: readonly Settings[]): Settings {
  return new Map(all.toReversed().flatMap((settings) => [...settings]))
}
