// The package as a stranger has it: packed from a fresh clone with the machine's own Node and npm, and installed into an empty project. Nothing of
// this repository is there but what is packed. `make test` builds the clone with the packages that are installed here; `make test-long` has the clone install them.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { IS_WHOLE } from './whole.ts'

const PROJECT = path.join(import.meta.dirname, '../..')
/** The packages that are installed here. */
export const MODULES = path.join(PROJECT, 'node_modules')
/** Where programs are found that did not come with the packages. */
export const OUTER_PATH = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(path.delimiter)

export interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

export interface InstalledPackage extends Disposable {
  /** The folder of the project that has installed it. */
  readonly home: string
  readonly packed: Packed
}

/** For the compiler, which is written in Go and short-lived: collecting garbage takes a quarter of its time. */
export const GO_TOOL = { GOGC: 'off', GOMEMLIMIT: '2GiB' } as const

/** `others`, by name and version, are installed beside it, from npm's cache or its registry. */
export function installPackage(others: Readonly<Record<string, string>>): InstalledPackage {
  const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-package-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const [clone, home] = [path.join(folder, 'clone'), path.join(folder, 'project')]
  try {
    mkdirSync(home)
    const packed = packFresh(clone, home)
    rmSync(clone, { recursive: true, force: true })
    const dependencies = { quarterdeck: `file:${packed.filename}`, ...others }
    writeFileSync(path.join(home, 'package.json'), JSON.stringify({ type: 'module', dependencies }))
    installIn(home)
    return { home, packed, [Symbol.dispose]: remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** A clone with what is in the work tree, whether it is committed or not. */
function packFresh(clone: string, target: string): Packed {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const files = execFileSync('git', listed, { cwd: PROJECT, encoding: 'utf8' }).split('\0')
  const needed = files.filter((file) => file !== '' && !/^(test|deploy)\//.test(file))
  for (const file of needed) cpSync(path.join(PROJECT, file), path.join(clone, file))
  const flags = ['--json', '--pack-destination', target]
  if (!IS_WHOLE) {
    symlinkSync(MODULES, path.join(clone, 'node_modules'))
    for (const script of ['build', 'types', 'manuals']) npm(clone, 'run', script)
    flags.push('--ignore-scripts')
  }
  const [packed] = JSON.parse(npm(clone, 'pack', ...flags)) as [Packed]
  return packed
}

/** Installs the dependencies of the project in the folder. */
export function installIn(folder: string): void {
  npm(folder, 'install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund')
}

function npm(cwd: string, ...args: readonly string[]): string {
  const env = { ...process.env, ...GO_TOOL, PATH: OUTER_PATH }
  return execFileSync('npm', [...args, '--silent'], { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26 })
}
