// The version before this one, made of this repository's history and kept in the cache: a clone that has only the newest commits cannot
// have it.
import { execFile } from 'node:child_process'
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { cacheFile, makeOnce } from './made-once.ts'

const run = promisify(execFile)

const PROJECT = path.join(import.meta.dirname, '../..')

/** The last commit of it. */
export const VERSION_BEFORE = { version: '0.2.0', commit: '1c5067b86eec1ae3f2d5e93a88e71a7282c10348' } as const

export async function hasVersionBefore(): Promise<boolean> {
  return run('git', ['cat-file', '-e', `${VERSION_BEFORE.commit}^{commit}`], { cwd: PROJECT }).then(
    () => true,
    () => false,
  )
}

/** The path of its command. */
export async function findVersionBefore(): Promise<string> {
  const root = cacheFile('versions', VERSION_BEFORE.commit)
  await makeOnce(root, makeVersion)
  const { bin } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    bin: { quarterdeck: string }
  }
  return path.join(root, bin.quarterdeck)
}

/** Its sources and the packages that it asks for. */
async function makeVersion(folder: string): Promise<string> {
  const [archive, name] = [path.join(folder, 'sources.tar'), 'sources']
  await mkdir(path.join(folder, name))
  await run('git', ['archive', '--output', archive, VERSION_BEFORE.commit], { cwd: PROJECT })
  await run('tar', ['-xf', archive, '-C', path.join(folder, name)])
  await rm(archive)
  const flags = ['--include=dev', '--no-fund', '--no-audit', '--loglevel=error']
  await run('npm', ['ci', ...flags], { cwd: path.join(folder, name) })
  return name
}
