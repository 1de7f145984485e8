// Programs out of Debian's packages: unpacked beside the system, not installed into it, so that no service starts and nobody
// has to be root.
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The release whose old programs are wanted, whichever one this machine has. */
const OLD_RELEASE = 'bookworm'

/** Downloads and unpacks a package of Debian 12 in the folder; the path of the program, relative to that. */
export async function unpackOldDebian(packageName: string, program: string, folder: string): Promise<string> {
  const release = await releaseOfMachine()
  const sources = release === OLD_RELEASE ? [] : await sourcesOf(OLD_RELEASE, release, folder)
  await apt(folder, sources, (options) => run('apt-get', [...options, 'download', packageName], { cwd: folder }))
  await unpack(folder, folder)
  return join(UNPACKED, 'usr', 'bin', program)
}

/** Those of the packages, and of what they depend on, that are not installed. The root they are in, relative to the folder. */
export async function unpackMissing(packageNames: readonly string[], folder: string): Promise<string> {
  const archives = join(folder, 'cache', 'archives')
  const wanted = ['--yes', '--no-install-recommends', '--download-only', 'install', ...packageNames]
  // Nothing of the system's is changed: its locks are not needed, and only root could take them.
  const own = ['-oDebug::NoLocking=1', `-oDir::Cache=${join(folder, 'cache')}`]
  await mkdir(join(archives, 'partial'), { recursive: true })
  await apt(folder, [], (options) => run('apt-get', [...own, ...options, ...wanted]))
  await unpack(folder, archives)
  return UNPACKED
}

/** Where the libraries are of what was unpacked, as `LD_LIBRARY_PATH` says it. */
export function librariesIn(root: string): string {
  const folders = ['usr/lib', 'lib'].flatMap((top) => [`${top}/*-linux-*`, `${top}/*-linux-*/pulseaudio`])
  return globSync(folders, { cwd: root })
    .map((folder) => join(root, folder))
    .join(':')
}

const UNPACKED = 'unpacked'

/** With the system's lists of packages, or with new ones of our own where it has none, or old ones, or those of another release. */
async function apt(
  folder: string,
  sources: readonly string[],
  work: (options: readonly string[]) => Promise<unknown>,
): Promise<void> {
  await run('dpkg', ['--version'])
  const withOwnLists = async (): Promise<void> => {
    const lists = [`-oDir::State::Lists=${join(folder, 'lists')}`, `-oDir::Cache=${join(folder, 'cache')}`, ...sources]
    await mkdir(join(folder, 'lists', 'partial'), { recursive: true })
    await mkdir(join(folder, 'cache', 'archives', 'partial'), { recursive: true })
    await run('apt-get', [...lists, 'update'])
    await work(lists)
  }
  await (sources.length > 0 ? withOwnLists() : work([]).catch(withOwnLists))
}

async function releaseOfMachine(): Promise<string> {
  const text = await readFile('/etc/os-release', 'utf8')
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(text)?.[1]
  if (release === undefined || !/^ID=debian$/m.test(text)) throw new Error('this machine is not a Debian')
  return release
}

/** The machine's own sources of packages, with the release put in the place of its own. */
async function sourcesOf(release: string, own: string, folder: string): Promise<readonly string[]> {
  const parts = join(folder, 'sources')
  await mkdir(parts)
  for (const file of ['/etc/apt/sources.list', ...globSync('/etc/apt/sources.list.d/*.{list,sources}')]) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text.includes(own)) await writeFile(join(parts, basename(file)), text.replaceAll(own, release))
  }
  return ['-oDir::Etc::SourceList=/dev/null', `-oDir::Etc::SourceParts=${parts}`]
}

async function unpack(folder: string, archives: string): Promise<void> {
  await mkdir(join(folder, UNPACKED))
  for (const file of globSync(join(archives, '*.deb'))) await run('dpkg', ['-x', file, join(folder, UNPACKED)])
}
