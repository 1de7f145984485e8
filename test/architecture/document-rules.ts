// What a document may tell people to type: commands, targets, scripts and flags that there are.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { commandManual } from '../../src/commands/manual.ts'
import { findFlag } from '../../src/config/flags.ts'
import type { Example } from '../fakes/documents.ts'
import manifest from '../../package.json' with { type: 'json' }

const MAKEFILE = readFileSync(path.join(import.meta.dirname, '../../Makefile'), 'utf8')
const TARGETS = new Set(Array.from(MAKEFILE.matchAll(/^([a-z-]+):/gm), ([, name]) => name))
const SCRIPTS: ReadonlySet<string> = new Set(Object.keys(manifest.scripts))
const COMMANDS = new Set(Array.from(commandManual().matchAll(/^ +quarterdeck ([a-z-]+)/gm), ([, name]) => name))
/** Programs of others, and what the shell does itself. */
const OTHERS = new Set(['kubectl', 'docker', 'helm', 'kube-controller-manager', 'export', 'cd'])
/** Of kubectl, docker and Node. */
const FLAGS_OF_OTHERS = new Set(['--kubeconfig', '--build-arg', '--max-semi-space-size'])
const OWN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  test: ['--print-requests', '--help'],
  serve: ['--help'],
}

/** A line for each command, target, script or flag that there is not. */
export function checkCommands(examples: readonly Example[]): readonly string[] {
  return examples
    .filter(({ language }) => language === 'sh')
    .flatMap(({ file, line, text }) =>
      linesOf(text).flatMap((typed) => faultsOf(typed).map((fault) => `${file}:${line}: ${fault}`)),
    )
}

/** What is typed: all of it, or where there are prompts, what is behind them. */
function linesOf(text: string): readonly string[] {
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n')
  const prompted = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2))
  return (prompted.length > 0 ? prompted : lines).map((line) => line.replace(/(^| )#.*/, '').trim()).filter(Boolean)
}

function faultsOf(typed: string): readonly string[] {
  const [program = '', ...args] = typed.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word))
  if (program.startsWith('--')) return unknownFlags([program, ...args], FLAGS_OF_OTHERS)
  switch (program) {
    case 'make':
      return args.filter((name) => !TARGETS.has(name)).map((name) => `there is no target ${name}`)
    case 'npx':
      return faultsOf(args.join(' '))
    case 'npm':
      return faultsOfNpm(args)
    case 'quarterdeck':
      return faultsOfCommand(args)
    default:
      return OTHERS.has(program) ? [] : [`there is no command ${program}`]
  }
}

function faultsOfNpm([verb = '', ...args]: readonly string[]): readonly string[] {
  const name = verb === 'run' ? (args[0] ?? '') : verb
  const rest = args.slice(args.indexOf('--') + 1)
  if (['ci', 'install', 'pack'].includes(name)) return []
  if (!SCRIPTS.has(name)) return [`there is no script ${name}`]
  if (name === 'start') return args.length === 0 ? [] : faultsOfCommand(['serve', ...rest])
  return name === 'quarterdeck' ? faultsOfCommand(rest) : []
}

function faultsOfCommand([name = '', ...args]: readonly string[]): readonly string[] {
  if (!COMMANDS.has(name)) return [`there is no command quarterdeck ${name}`]
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return name === 'serve' || name === 'test' ? unknownFlags(own, new Set(OWN_FLAGS[name])) : []
}

function unknownFlags(words: readonly string[], known: ReadonlySet<string>): readonly string[] {
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.replace(/[=,].*/, ''))
  return flags
    .filter((flag) => !known.has(flag) && findFlag(flag.slice(2)) === undefined)
    .map((flag) => `there is no flag ${flag}`)
}
