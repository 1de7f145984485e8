// `quarterdeck completion`: scripts for shells, with the commands and the flags that their manuals name.
import { usageError } from '../config/start-error.ts'

/** By their names; what a page of the manual says of each. */
export type Manuals = ReadonlyMap<string, () => string>

/** Resolves with the exit code. */
export async function runCompletion([shell, ...rest]: readonly string[], manuals: Manuals): Promise<number> {
  const script = rest.length === 0 ? SCRIPTS[shell ?? ''] : undefined
  if (script === undefined) throw usageError('give bash, zsh or fish; see quarterdeck completion --help')
  process.stdout.write(script(manuals))
  return 0
}

const SCRIPTS: Readonly<Record<string, (manuals: Manuals) => string>> = {
  bash: (manuals) => `${wordsFunction(manuals)}complete -o default -F _quarterdeck quarterdeck\n`,
  zsh: (manuals) =>
    `autoload -U +X bashcompinit && bashcompinit\n${wordsFunction(manuals)}complete -o default -F _quarterdeck quarterdeck\n`,
  fish: fishScript,
}

/** Names of files are the shell's own business: they are completed where no flag begins. */
function wordsFunction(manuals: Manuals): string {
  const cases = Array.from(manuals, ([name, manual]) => `    ${name}) words="${flagsIn(manual()).join(' ')}" ;;`)
  return `_quarterdeck() {
  local words="" current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${[...manuals.keys()].join(' ')}"
  elif [ "\${current#-}" = "$current" ]; then words=""; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
`
}

function fishScript(manuals: Manuals): string {
  const lines = Array.from(manuals, ([name, manual]) => [
    `complete -c quarterdeck -n __fish_use_subcommand -f -a ${name}`,
    ...flagsIn(manual()).map(
      (flag) => `complete -c quarterdeck -n "__fish_seen_subcommand_from ${name}" -l ${flag.slice(2)}`,
    ),
  ])
  return `${lines.flat().join('\n')}\n`
}

/** Those that begin a line, where flags are described; those in a sentence may be another command's. */
function flagsIn(manual: string): readonly string[] {
  const named = manual.matchAll(/^ +(?:-[a-zA-Z], )?(--[a-z0-9][a-z0-9-]*)/gm)
  return [...new Set(Array.from(named, ([, flag = '']) => flag))].sort()
}
