// `quarterdeck completion`: makes scripts for shells from the table of commands and flags.
import { gatesAt } from '../config/feature-gates.ts'
import type { Flag } from '../config/flags.ts'
import { usageError } from '../config/start-error.ts'
import { COMMAND_FLAGS, type CommandWords, flagsOfCommand, readCommandLine, SHELLS } from './command-flags.ts'
import { print } from './output.ts'

export async function runCompletion(args: readonly string[]): Promise<number> {
  const shell = SHELLS.find((name) => name === readCommandLine('completion', args, { most: 1 }).operands[0])
  if (shell === undefined) throw usageError(`give one of ${SHELLS.join(', ')}; see quarterdeck completion --help`)
  print(SCRIPTS[shell]())
  return 0
}

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], () => string>> = {
  bash: bashScript,
  zsh: () => `autoload -U +X bashcompinit && bashcompinit\n${bashScript()}`,
  fish: fishScript,
}

/** The completion of a value: one word, a list of words, or names of files. */
interface Completion {
  readonly kind: 'words' | 'list' | 'files' | 'directories' | 'nothing'
  readonly words: readonly string[]
}

function completionOf({ kind, values = [] }: Pick<Flag, 'kind' | 'values'>): Completion {
  if (kind === 'file') return { kind: 'files', words: [] }
  if (kind === 'directory') return { kind: 'directories', words: [] }
  if (kind === 'switch') return { kind: 'words', words: ['true', 'false'] }
  if (kind === 'gates')
    return { kind: 'list', words: Object.keys(gatesAt()).flatMap((gate) => [`${gate}=true`, `${gate}=false`]) }
  if (values.length === 0) return { kind: 'nothing', words: [] }
  // A shell would expand the star to names of files.
  return { kind: kind === 'list' ? 'list' : 'words', words: values.filter((word) => word !== '*') }
}

const ALL = Object.entries(COMMAND_FLAGS) as [CommandWords, (typeof COMMAND_FLAGS)[CommandWords]][]
const COMMANDS: readonly string[] = ALL.flatMap(([words]) => (words.includes(' ') ? [] : [words]))
const SUBCOMMANDS: readonly string[] = ALL.flatMap(([words]) => (words.includes(' ') ? [words] : []))

/** Every command has --help. As in the reference, `serve` has --version. */
function flagWords(words: CommandWords): readonly string[] {
  const flags = flagsOfCommand(words).flatMap(({ name, short }) => [
    `--${name}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ])
  return [...flags, '--help', '-h', ...(words === 'serve' ? ['--version'] : [])]
}

/** The completion of the arguments of a command. */
function operandOf(words: CommandWords): Completion {
  if (words === 'help') return { kind: 'words', words: COMMANDS }
  const { operand } = COMMAND_FLAGS[words]
  const below = SUBCOMMANDS.flatMap((each) => (each.startsWith(`${words} `) ? [each.slice(words.length + 1)] : []))
  const own: Completion = operand === undefined ? { kind: 'nothing', words: [] } : completionOf(operand)
  return below.length === 0 ? own : { kind: own.kind === 'files' ? 'files' : 'words', words: [...below, ...own.words] }
}

type Arm = readonly [pattern: string, completion: Completion]

/** The arms of a `case`. Patterns with the same words share an arm. */
function arms(rows: readonly Arm[]): string {
  const grouped = Map.groupBy(rows, ([, { kind, words }]) => `kind=${kind} words=${quoted(words.join(' '))}`)
  const lines = Array.from(
    grouped,
    ([action, same]) => `    ${same.map(([text]) => quoted(text)).join('|')}) ${action} ;;`,
  )
  return lines.join('\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** `serve --secure-port` for a value in the next word, `serve --secure-port=` for a value in the same word. */
function valueArms(words: CommandWords): readonly Arm[] {
  return flagsOfCommand(words).flatMap((flag) => {
    const spaced = [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])]
    const patterns = [`--${flag.name}=`, ...(flag.kind === 'switch' ? [] : spaced)]
    return patterns.map((pattern) => [`${words} ${pattern}`, completionOf(flag)] as const)
  })
}

/**
 * bash cuts words at `=`, and zsh does not. So the script joins words, completes the whole, and removes the part that bash has already.
 * The shell completes names of files.
 */
function bashScript(): string {
  return `_quarterdeck() {
  local at=$COMP_CWORD current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" word flag i kind="" words="" prefix=""
  word="$current"
  while [ "$at" -gt 1 ] && { [ "\${COMP_WORDS[at]}" = "=" ] || [ "\${COMP_WORDS[at - 1]}" = "=" ]; }; do
    at=$((at - 1))
    word="\${COMP_WORDS[at]}$word"
  done
  [ "$current" = "=" ] && current=""
  COMPREPLY=()
  for ((i = 2; i < at; i++)); do
    [ "\${COMP_WORDS[i]}" = "--" ] && return 0
  done
  if [ "$at" -gt 2 ]; then
    case "$command \${COMP_WORDS[2]}" in
    ${SUBCOMMANDS.map(quoted).join('|')}) command="$command \${COMP_WORDS[2]}" ;;
    esac
  fi
  flag="\${COMP_WORDS[at - 1]}"
  case "$word" in
    --*=*) prefix="\${word%%=*}=" flag="$prefix" ;;
  esac
  case "$command $flag" in
${arms(ALL.flatMap(([words]) => valueArms(words)))}
  esac
  if [ "$at" -eq 1 ]; then
    kind=words words=${quoted([...COMMANDS, '--help', '--version'].join(' '))}
  elif [ -z "$kind" ]; then
    case "$word" in
    -*)
      case "$command" in
${arms(ALL.map(([words]) => [words, { kind: 'words', words: flagWords(words) }]))}
      esac ;;
    *)
      case "$command" in
${arms(ALL.map(([words]) => [words, operandOf(words)]))}
      esac ;;
    esac
  fi
  flag="\${word#"$prefix"}"
  [ "$kind" = list ] && prefix="$prefix\${flag%"\${flag##*,}"}"
  if [ "$kind" = directories ]; then
    local IFS=$'\\n'
    COMPREPLY=($(compgen -P "$prefix" -d -- "\${word#"$prefix"}"))
    compopt -o filenames 2>/dev/null
  else
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "\${word#"$prefix"}"))
  fi
  [ "$kind" = list ] && compopt -o nospace 2>/dev/null
  [ "$kind" = files ] || compopt +o default 2>/dev/null
  [ -z "\${COMPREPLY[*]}" ] || COMPREPLY=("\${COMPREPLY[@]#"\${word%"$current"}"}")
  return 0
}
complete -o default -F _quarterdeck quarterdeck
`
}

function fishScript(): string {
  const words = '(commandline -opc)'
  const lines = ALL.flatMap(([command]) => {
    const rule = `complete -c quarterdeck -n '__quarterdeck_at ${command}'`
    const flags = flagsOfCommand(command).map(
      (flag) =>
        `${rule} -l ${flag.name}${flag.short === undefined ? '' : ` -s ${flag.short}`}${flag.kind === 'switch' ? '' : fishValue(completionOf(flag), '-x', '-r')}`,
    )
    return [...flags, `${rule} -l help -s h`, `${rule}${fishValue(operandOf(command), '', '')}`]
  })
  return `function __quarterdeck_at
  set -l words ${words}
  set -l command "$words[2]"
  contains -- "$words[2] $words[3]" ${SUBCOMMANDS.map(quoted).join(' ')}; and set command "$words[2] $words[3]"
  test "$command" = "$argv"
end
complete -c quarterdeck -f
complete -c quarterdeck -n 'test (count ${words}) -eq 1' -a ${quoted(COMMANDS.join(' '))}
${lines.join('\n')}
complete -c quarterdeck -n '__quarterdeck_at serve' -l version
`
}

/** `only` is the option for words alone. `also` is the option for words and files. */
function fishValue({ kind, words }: Completion, only: string, also: string): string {
  const offered =
    words.length === 0
      ? ''
      : ` -a ${quoted(kind === 'list' ? `(__fish_append , ${words.join(' ')})` : words.join(' '))}`
  if (kind === 'files') return ` ${also} -F${offered}`
  return kind === 'directories' ? ` ${only} -a '(__fish_complete_directories)'` : ` ${only}${offered}`
}
