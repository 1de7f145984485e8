// The balancer of `deploy/haproxy.cfg`: `HAPROXY_BIN`, one on PATH, or Debian's package unpacked into the cache with the libraries that this
// machine lacks.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type RunningProgram, runProgram } from './child-program.ts'
import { librariesIn, unpackMissing } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { cacheFile, findOnPath, isExecutable, makeOnce } from './made-once.ts'
import { tempFolder } from './temp-folder.ts'

const ADVICE = 'Install it (on Debian: apt-get install haproxy), or set HAPROXY_BIN to one.'
/** Where Debian has it, which is not on everybody's PATH. */
const SYSTEM = '/usr/sbin/haproxy'
const CONFIGURATION = path.join(import.meta.dirname, '../../deploy/haproxy.cfg')

interface Haproxy {
  readonly path: string
  /** To be set beside what is set already. */
  readonly env: Readonly<Record<string, string>>
}

/** Throws and says what to install where there is none and none can be had. */
export async function findHaproxy(): Promise<Haproxy> {
  const { HAPROXY_BIN: given = '' } = process.env
  if (given !== '') return { path: given, env: {} }
  const found = (await findOnPath('haproxy')) ?? ((await isExecutable(SYSTEM)) ? SYSTEM : undefined)
  if (found !== undefined) return { path: found, env: {} }
  const root = cacheFile('debian', `haproxy-${process.arch}`)
  try {
    await makeOnce(root, (folder) => unpackMissing(['haproxy'], folder))
  } catch (error) {
    throw new Error(`no haproxy. ${ADVICE}`, { cause: error })
  }
  return { path: path.join(root, SYSTEM), env: { LD_LIBRARY_PATH: librariesIn(root) } }
}

export interface Balancer {
  readonly url: string
  readonly program: RunningProgram
}

/** The configuration that is deployed, with other addresses; it ends with the test. */
export async function startBalancer(replicaPorts: readonly number[]): Promise<Balancer> {
  const { path: binary, env } = await findHaproxy()
  const port = await freePort()
  const file = path.join(await tempFolder(), 'haproxy.cfg')
  await writeFile(file, configurationFor(await readFile(CONFIGURATION, 'utf8'), port, replicaPorts))
  return { url: `https://127.0.0.1:${port}`, program: runProgram(binary, ['-db', '-f', file], env) }
}

/** Throws where the file does not look as it did: then nothing would be tested. */
function configurationFor(deployed: string, port: number, replicaPorts: readonly number[]): string {
  const lines = deployed.split('\n').filter((line) => !/^ {2}server replica-\d/.test(line))
  const changed = lines.map((line) => line.replace(/^ {2}bind :6443$/, `  bind 127.0.0.1:${port}`))
  if (changed.join('\n') === lines.join('\n') || lines.length !== deployed.split('\n').length - 3) {
    throw new Error(`${CONFIGURATION} is not as the tests know it`)
  }
  const servers = replicaPorts.map((replica, i) => `  server replica-${i + 1} 127.0.0.1:${replica}`)
  return [...changed, ...servers, ''].join('\n')
}
