// What a document may tell people to type: commands, targets, scripts and flags that there are.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { commandManual } from '../../src/commands/manual.ts'
import { COMMAND_FLAGS } from '../../src/commands/command-flags.ts'
import { findFlag } from '../../src/config/flags.ts'
import { type Example, typedLines } from '../corpora/documents.ts'
import manifest from '../../package.json' with { type: 'json' }

const MAKEFILE = readFileSync(path.join(import.meta.dirname, '../../Makefile'), 'utf8')
const TARGETS = new Set(Array.from(MAKEFILE.matchAll(/^([a-z-]+):/gm), ([, name]) => name))
const SCRIPTS: ReadonlySet<string> = new Set(Object.keys(manifest.scripts))
const COMMANDS = new Set(Array.from(commandManual().matchAll(/^ +quarterdeck ([a-z-]+)/gm), ([, name]) => name))
/** Programs of others, and what the shell does itself. */
const OTHERS = new Set([
  'kubectl',
  'curl',
  'docker',
  'helm',
  'etcdctl',
  'etcdutl',
  'go',
  'node',
  'head',
  'man',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'export',
  'cd',
  'mkdir',
  'mv',
  'printf',
  'until',
])
/** Of kubectl, docker, Node and cert-manager; and of other commands than `quarterdeck serve`. */
const FLAGS_OF_OTHERS = new Set([
  ...Object.values(COMMAND_FLAGS).flatMap(({ flags }) => flags.map(({ name }) => `--${name}`)),
  '--build-arg',
  '--max-semi-space-size',
  '--enable-certificate-owner-ref',
])
const OWN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  test: ['--print-requests', '--help'],
  serve: ['--help'],
}

/** A line for each command, target, script or flag that there is not. */
export function checkCommands(examples: readonly Example[]): readonly string[] {
  return examples.flatMap((example) =>
    typedLines(example).flatMap((typed) => faultsOf(typed).map((fault) => `${example.file}:${example.line}: ${fault}`)),
  )
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
  if (['ci', 'install', 'pack', 'pkg'].includes(name)) return []
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
