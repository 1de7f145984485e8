// A program out of a Debian package: unpacked beside the system, not installed into it, so that no service starts and nobody
// has to be root.
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Downloads and unpacks it in the folder; the path of the program, relative to that. */
export async function unpackDebian(packageName: string, program: string, folder: string): Promise<string> {
  await run('dpkg', ['--version'])
  const download = (options: readonly string[]) =>
    run('apt-get', [...options, 'download', packageName], { cwd: folder })
  await download([]).catch(async () => {
    const lists = [`-oDir::State::Lists=${join(folder, 'lists')}`, `-oDir::Cache=${join(folder, 'cache')}`]
    await mkdir(join(folder, 'lists', 'partial'), { recursive: true })
    await mkdir(join(folder, 'cache', 'archives', 'partial'), { recursive: true })
    await run('apt-get', [...lists, 'update'])
    await download(lists)
  })
  await run('sh', ['-c', `dpkg -x ${packageName}_*.deb unpacked`], { cwd: folder })
  return join('unpacked', 'usr', 'bin', program)
}
