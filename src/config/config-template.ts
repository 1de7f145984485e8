// A configuration file with every flag and its help. Flags without a value are commented out with their defaults.
import { type Flag, FLAGS, type FlagName } from './flags.ts'

const WIDTH = 100

export type TemplateValues = Readonly<Partial<Record<FlagName, string>>>

/** Returns the file in YAML. */
export function configTemplate(values: TemplateValues): string {
  const flags = FLAGS.filter(({ name, ignored }) => name !== 'config' && ignored === undefined)
  const groups = Map.groupBy(flags, ({ group }) => group)
  const sections = Array.from(groups, ([group, members]) => {
    const entries = members.map((flag) => `${comment(flag.help)}\n${setting(flag, values[flag.name])}\n`)
    return `# ${group}\n# ${'-'.repeat(group.length)}\n\n${entries.join('\n')}`
  })
  const title = comment(
    'Configuration of quarterdeck serve: its flags by their names. Flags on the command line and variables of the environment come first. Settings that are commented out show the defaults.',
  )
  return `${title}\n\n${sections.join('\n')}`
}

function setting(flag: Flag, value: string | undefined): string {
  return value === undefined
    ? `#${flag.name}: ${valueText(flag, flag.fallback ?? '')}`
    : `${flag.name}: ${valueText(flag, value)}`
}

/** Texts are in JSON quotes, which are valid in YAML. */
function valueText({ kind }: Flag, value: string): string {
  return kind === 'switch' || kind === 'port' || kind === 'count' ? value : JSON.stringify(value)
}

function comment(text: string): string {
  const lines: string[] = []
  let line = '#'
  for (const word of text.split(' ')) {
    if (line.length + word.length >= WIDTH) {
      lines.push(line)
      line = '#'
    }
    line += ` ${word}`
  }
  return [...lines, line].join('\n')
}
