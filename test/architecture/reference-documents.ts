// The tables of all flags and of all metrics, as documents for operators, made of what the code says of them.
import { COMMAND_FLAGS, type CommandWords, flagsOfCommand } from '../../src/commands/command-flags.ts'
import { environmentName, FLAGS, type Flag } from '../../src/config/flags.ts'
import { gatesAt } from '../../src/config/feature-gates.ts'
import { LIVE_FLAGS } from '../../src/config/live-config.ts'

export const FLAGS_DOCUMENT = 'deploy/reference/flags.md'
export const METRICS_DOCUMENT = 'deploy/reference/metrics.md'

const MADE = 'Generated from the code by `make generate`; a test fails if it is outdated.'

/** Bars would end a cell, and less-than signs begin a tag. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

export function flagsDocument(): string {
  const effective = FLAGS.filter((flag: Flag) => flag.ignored === undefined)
  const groups = Map.groupBy(effective, ({ group }) => group)
  const live: ReadonlySet<string> = new Set(LIVE_FLAGS)
  const row = ({ name, fallback, help }: Flag): readonly string[] => [
    `\`--${name}\`${live.has(name) ? ' ↻' : ''}`,
    fallback === undefined ? '' : `\`${cell(fallback)}\``,
    cell(help),
  ]
  const sections = Array.from(
    groups,
    ([group, flags]) => `## ${group}\n\n${table(['flag', 'default', 'meaning'], flags.map(row))}`,
  )
  return `${[
    '# Flags',
    `${MADE}

The flags of \`quarterdeck serve\` come first. Each is also a variable (\`--secure-port\` is \`${environmentName('secure-port')}\`) and a key of the file that \`--config\` names (\`secure-port: 7443\`). The command line takes precedence over the environment, and the environment over the file. Changes of
flags with a ↻ take effect on SIGHUP.`,
    ...sections,
    '## Feature gates',
    table(['gate', 'stage', 'default'], gateRows()),
    '## Without effect',
    `Flags of kube-apiserver that are accepted, so that its manifests work. A value that asks for another behaviour is
logged at the start, or refused if its lack would be dangerous.`,
    table(['flag', 'why'], FLAGS.filter((flag: Flag) => flag.ignored !== undefined).map(ignoredRow)),
    ...commandSections(),
  ].join('\n\n')}\n`
}

/** `serve` is described above, and `test` takes its flags too. */
function commandSections(): readonly string[] {
  const others = (Object.keys(COMMAND_FLAGS) as CommandWords[]).filter((words) => words !== 'serve')
  return others.flatMap((words) => {
    const flags = flagsOfCommand(words).filter(
      (flag) => words !== 'test' || !FLAGS.some(({ name }) => name === flag.name),
    )
    return flags.length === 0
      ? []
      : [`## \`quarterdeck ${words}\``, table(['flag', 'default', 'meaning'], flags.map(commandRow))]
  })
}

function commandRow({ name, short, fallback, help }: Flag): readonly string[] {
  const spelled = short === undefined ? `\`--${name}\`` : `\`-${short}\`, \`--${name}\``
  return [spelled, fallback === undefined ? '' : `\`${cell(fallback)}\``, cell(help)]
}

function ignoredRow({ name, help }: Flag): readonly string[] {
  return [`\`--${name}\``, cell(help)]
}

function gateRows(): readonly (readonly string[])[] {
  return Object.entries(gatesAt())
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { stage, enabled, locked }]) => [
      `\`${name}\``,
      stage,
      `${enabled ? 'on' : 'off'}${locked === true ? ', locked' : ''}`,
    ])
}

/** Of what a server shows at /metrics and /metrics/slis. */
export function metricsDocument(shown: string): string {
  const types = new Map(
    Array.from(shown.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type = '']) => [name, type]),
  )
  const helps = new Map(Array.from(shown.matchAll(/^# HELP (\S+) (.*)$/gm), ([, name = '', help = '']) => [name, help]))
  const rows = (names: readonly string[]): string =>
    table(
      ['metric', 'type', 'meaning'],
      names.map((name) => [`\`${name}\``, types.get(name)!, cell(helps.get(name) ?? '')]),
    )
  const [own, others] = [true, false].map((ours) =>
    [...types.keys()].filter((name) => name.startsWith('quarterdeck_') === ours).sort(),
  )
  return `${[
    '# Metrics',
    `${MADE}

\`/metrics\` has them all, and \`/metrics/slis\` the checks of health; both need credentials (the role
\`system:monitoring\`). [Operations](../operations.md#metrics-and-alerts) lists the metrics for operators, and when to act.`,
    '## Of this server',
    rows(own!),
    "## With kube-apiserver's names, and of the process",
    rows(others!),
  ].join('\n\n')}\n`
}
