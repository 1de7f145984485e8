// The package as somebody has it who installs it: nothing of this repository but what is packed, and the packages that it names.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

const PROJECT = path.join(import.meta.dirname, '../..')
/** The packages that are installed here. */
export const MODULES = path.join(PROJECT, 'node_modules')

export interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

export interface InstalledPackage extends Disposable {
  /** The folder of the one who has installed it. */
  readonly home: string
  readonly packed: Packed
}

/** With packages that are here, by name; `fetched`, by name and version, come from npm's cache or its registry. */
export function installPackage(
  others: readonly string[],
  fetched: Readonly<Record<string, string>> = {},
): InstalledPackage {
  const home = mkdtempSync(path.join(tmpdir(), 'quarterdeck-package-'))
  const remove = (): void => rmSync(home, { recursive: true, force: true })
  try {
    return { home, packed: packAndInstall(home, others, fetched), [Symbol.dispose]: remove }
  } catch (error) {
    remove()
    throw error
  }
}

function packAndInstall(home: string, others: readonly string[], fetched: Readonly<Record<string, string>>): Packed {
  const told = execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', home], { cwd: PROJECT })
  const [packed] = JSON.parse(told.toString()) as [Packed]
  // The packages that it names are those that are here: nothing has to be fetched for it.
  const here = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `file:${path.join(MODULES, name)}`]))
  const own = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)]
  const overrides = here(own.filter((name) => existsSync(path.join(MODULES, name))))
  const dependencies = { quarterdeck: `file:${packed.filename}`, ...here(others), ...fetched }
  writeFileSync(path.join(home, 'package.json'), JSON.stringify({ type: 'module', dependencies, overrides }))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  const isFetched = Object.keys(fetched).length > 0
  // What is fetched may have its parts for this machine among what is optional.
  const from = isFetched ? ['--prefer-offline'] : ['--offline', '--omit=optional']
  const env = isFetched ? process.env : { ...process.env, HOME: home }
  execFileSync('npm', ['install', ...from, ...quiet], { cwd: home, env })
  return packed
}
