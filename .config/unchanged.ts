// Results that `make check` keeps, as `go test` does: a program that passed is not checked again while all that it depends on is as
// it was then. It depends on the files that it reaches by relative paths in its text, imports among them, on the settings of the tools,
// and on every file that is no program, such as proto files, fixtures and the lock file.
//
//     node .config/unchanged.ts lint|unit COMMAND ...    runs the command with those that have not passed it as they are
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/**
 * Whoever runs a program loads no types, and a test that looks around in the repository depends on all of it. Whoever reads a program
 * follows its types; one that imports our package by its name depends on all.
 */
type Use = 'run' | 'read'

type Program = { digest: string; paths: string[]; dependsOnAll: boolean }

const CHECKS = {
  lint: { use: 'read', programs: /^/ },
  unit: { use: 'run', programs: /^test\/(unit|architecture)\/.*\.test\.ts$/ },
} as const

const PROGRAM = /\.[cm]?[jt]sx?$/
const DOCUMENT = /\.md$/
const TYPE_IMPORT = /^(?:import|export) type (?:\w+|\* as \w+|\*|\{[^}]*\}) from '[^']+'/gm
const RELATIVE_PATH = /['"`](\.\.?\/[^'"`\n]+)['"`]/g
const TEST_PATH = /'(test\/[^'\n]+)'/g
/** A test that asks for its own place, names one of ours or starts a program may read anything. */
const LOOKS_AROUND = /import\.meta|process\.cwd|node:child_process|['"`](src|\.config)[/'"`]/
const OWN_PACKAGE = /from 'quarterdeck/
const NOT_OURS = new Set(['.git', 'node_modules', 'dist'])
/** Of each program: who goes back to an earlier state, or to another branch, finds it passed. */
const DIGESTS_KEPT = 10

/** Of each program a digest of it and of all that it depends on. */
export function digestsWithDependencies(project: string, use: Use): Map<string, string> {
  const programs = new Map<string, Program>()
  const settings = [process.version, `seed ${seedOfTests()}`]
  const documents: string[] = []
  for (const name of filesIn(project)) {
    const bytes = readFileSync(path.join(project, name))
    const digest = `${name} ${hash('sha1', bytes)}`
    if (PROGRAM.test(name)) {
      const text = bytes.toString()
      const dependsOnAll = name.startsWith('test/') && (use === 'run' ? LOOKS_AROUND : OWN_PACKAGE).test(text)
      const followed = use === 'run' ? text.replaceAll(TYPE_IMPORT, '') : text
      programs.set(name, { digest, paths: pathsIn(followed, name), dependsOnAll })
    } else (DOCUMENT.test(name) ? documents : settings).push(digest)
  }
  const tools = reachedFrom([...programs.keys()].filter((name) => isTool(name)))
  const allSettings = digestOf([...settings, ...digestsOf(tools)])
  const everything = digestOf([allSettings, ...documents, ...digestsOf(programs.keys())])
  return new Map([...programs.keys()].map((name) => [name, withDependencies(name)]))

  function withDependencies(name: string): string {
    const reached = reachedFrom([name])
    const dependsOnAll = reached.some((each) => programs.get(each)!.dependsOnAll)
    return dependsOnAll ? everything : digestOf([allSettings, ...digestsOf(reached)])
  }

  function reachedFrom(names: readonly string[]): string[] {
    const reached = new Set(names)
    for (const each of reached) {
      for (const other of programs.get(each)!.paths) if (programs.has(other)) reached.add(other)
    }
    return [...reached]
  }

  function digestsOf(names: Iterable<string>): string[] {
    return Array.from(names, (name) => programs.get(name)!.digest)
  }
}

function seedOfTests(): string | undefined {
  const seed = process.env['SEED']
  return seed === 'random' ? `of ${Date.now()}` : seed
}

/** The settings of a tool may be a program, and name others by their place in the project. */
function isTool(name: string): boolean {
  return name.startsWith('.config/')
}

function* filesIn(project: string, folder = ''): Generator<string> {
  for (const entry of readdirSync(path.join(project, folder), { withFileTypes: true })) {
    const name = path.join(folder, entry.name)
    if (entry.isFile()) yield name
    else if (entry.isDirectory() && !NOT_OURS.has(entry.name)) yield* filesIn(project, name)
  }
}

function pathsIn(text: string, name: string): string[] {
  const relative = Array.from(text.matchAll(RELATIVE_PATH), ([, found]) => path.join(path.dirname(name), found!))
  return isTool(name) ? [...relative, ...Array.from(text.matchAll(TEST_PATH), ([, found]) => found!)] : relative
}

function digestOf(digests: readonly string[]): string {
  return hash('sha1', digests.toSorted().join('\n'))
}

/** Which programs passed what is called `name`, each as it and its dependencies were then. */
export class PassedPrograms {
  readonly #place: string
  readonly #digests: ReadonlyMap<string, string>
  readonly #passed: Map<string, string[]>

  constructor(project: string, name: string, use: Use) {
    this.#place = path.join(project, 'node_modules/.cache/passed', `${name}.json`)
    this.#digests = digestsWithDependencies(project, use)
    this.#passed = readPassed(this.#place)
  }

  /** Those that have not passed as they are. */
  changed(): string[] {
    return [...this.#digests].filter(([name, digest]) => !this.#passed.get(name)?.includes(digest)).map(([name]) => name)
  }

  record(name: string, hasPassed: boolean): void {
    const digest = this.#digests.get(name)
    const others = this.#passed.get(name)?.filter((each) => each !== digest) ?? []
    const all = hasPassed && digest !== undefined ? [digest, ...others] : others
    this.#passed.set(name, all.slice(0, DIGESTS_KEPT))
  }

  save(): void {
    mkdirSync(path.dirname(this.#place), { recursive: true })
    writeFileSync(this.#place, JSON.stringify([...this.#passed]))
  }
}

function readPassed(place: string): Map<string, string[]> {
  try {
    return new Map(JSON.parse(readFileSync(place, 'utf8')))
  } catch {
    return new Map()
  }
}

/** A vitest reporter that writes down the files of which every test ran and passed. */
export class PassedFiles implements Reporter {
  readonly #place: string

  constructor(place: string) {
    this.#place = place
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const passed = unhandledErrors.length > 0 ? [] : modules.filter((module) => allPassed(module))
    writeFileSync(this.#place, JSON.stringify(passed.map(({ relativeModuleId }) => relativeModuleId)))
  }
}

function allPassed(module: TestModule): boolean {
  return module.ok() && [...module.children.allTests()].every((test) => test.result().state === 'passed')
}

/** The command ends with 0 where all that it was given has passed; one that writes `PASSED_FILES` says itself which have. */
function runWithChanged(name: keyof typeof CHECKS, [command, ...args]: readonly string[]): number {
  const { use, programs } = CHECKS[name]
  const passed = new PassedPrograms('.', name, use)
  const changed = passed.changed().filter((program) => programs.test(program))
  console.log(`${name}: ${changed.length} files have changed since they passed`)
  if (changed.length === 0) return 0
  const place = path.join(mkdtempSync(path.join(tmpdir(), 'quarterdeck-check-')), 'passed.json')
  const env = { ...process.env, PASSED_FILES: place }
  const { status } = spawnSync(command!, [...args, ...changed], { stdio: 'inherit', env })
  const told = existsSync(place) ? (JSON.parse(readFileSync(place, 'utf8')) as string[]) : undefined
  rmSync(path.dirname(place), { recursive: true })
  for (const program of changed) passed.record(program, told?.includes(program) ?? status === 0)
  passed.save()
  return status ?? 1
}

if (import.meta.main) process.exitCode = runWithChanged(process.argv[2] as keyof typeof CHECKS, process.argv.slice(3))
