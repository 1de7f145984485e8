// Finds a real etcd, or makes one: ETCD_BIN, PATH, an image through testcontainers, a build with Go; the oldest from Debian's package.
// What is made is kept in a cache outside the checkout; where nothing works it throws and says what to install.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { unpackOldDebian } from './debian-package.ts'
import { buildEtcdProgram, builtPath, ETCD_VERSION as NEWEST } from './etcd-programs.ts'
import { cacheFile, findOnPath, isExecutable, makeOnce } from './made-once.ts'

const run = promisify(execFile)

export interface EtcdBinary {
  readonly path: string
  /** As the binary tells it: `3.7.3`. */
  readonly version: string
}

/** The two ends of the range of versions that we support, and the line before the newest. */
export type EtcdLine = 'newest' | 'previous' | 'oldest'

/** One way to come by an etcd: the path of the binary, or undefined with a line in `tried` that says why not. */
type Way = (tried: string[]) => Promise<string | undefined>

const PREVIOUS = '3.6.14'
const OLDEST = '3.4.23'

const WAYS: Readonly<Record<EtcdLine, readonly Way[]>> = Object.freeze({
  newest: [
    fromVariable('ETCD_BIN'),
    fromPath,
    fromCache(cachePath(`image-${NEWEST}`), builtPath('etcd')),
    fromImage(NEWEST),
    fromGo,
  ],
  previous: [
    fromVariable('ETCD_PREVIOUS_BIN'),
    fromCache(cachePath(`image-${PREVIOUS}`), builtPath('etcd', PREVIOUS)),
    fromImage(PREVIOUS),
    (tried) => orTold('Go', tried, () => buildEtcdProgram('etcd', PREVIOUS)),
  ],
  oldest: [
    fromVariable('ETCD_OLDEST_BIN'),
    fromCache(cachePath(`image-${OLDEST}`), cachePath('debian')),
    fromImage(OLDEST),
    fromDebian,
  ],
})

const ADVICE: Readonly<Record<EtcdLine, string>> = Object.freeze({
  newest: `Install Go, Docker or an etcd ${NEWEST}, or set ETCD_BIN to one.`,
  previous: `Install Go, Docker, or set ETCD_PREVIOUS_BIN to an etcd ${PREVIOUS}.`,
  oldest: `Install Docker, or use Debian, whose packages have it, or set ETCD_OLDEST_BIN to an etcd ${OLDEST}.`,
})

/** The first etcd of that line that can be found or made; made ones are made once, whoever else is making them. */
export async function findEtcd(line: EtcdLine): Promise<EtcdBinary> {
  const tried: string[] = []
  for (const way of WAYS[line]) {
    const path = await way(tried)
    if (path !== undefined) return { path, version: await versionOf(path) }
  }
  throw new Error(`no ${line} etcd for the tests.\n  ${tried.join('\n  ')}\n${ADVICE[line]}`)
}

/** An environment in which the binary starts on every architecture that it was built for. */
export function etcdEnvironment(): NodeJS.ProcessEnv {
  return process.arch === 'arm64' ? { ...process.env, ETCD_UNSUPPORTED_ARCH: 'arm64' } : process.env
}

async function versionOf(path: string): Promise<string> {
  const { stdout } = await run(path, ['--version'], { env: etcdEnvironment() })
  const version = /etcd Version: (\S+)/.exec(stdout)?.[1]
  if (version === undefined) throw new Error(`${path} --version does not look like etcd: ${stdout.slice(0, 200)}`)
  return version
}

function fromVariable(name: string): Way {
  return async (tried) => {
    const path = process.env[name]
    if (path !== undefined && path !== '') return path
    tried.push(`${name} is not set`)
    return undefined
  }
}

/** One of an older line is passed over. */
async function fromPath(tried: string[]): Promise<string | undefined> {
  const path = await findOnPath('etcd')
  const version = path === undefined ? 'absent' : await versionOf(path)
  if (lineOf(version) === lineOf(NEWEST)) return path
  tried.push(`the etcd on PATH is ${version}`)
  return undefined
}

function lineOf(version: string): string {
  return version.split('.').slice(0, 2).join('.')
}

/** What was made before. It stands in front of the image because asking for a container engine takes half a second. */
function fromCache(...paths: readonly string[]): Way {
  return async () => {
    for (const path of paths) if (await isExecutable(path)) return path
    return undefined
  }
}

/** The binary is taken out of the image and run as a process of ours: faults are then signals, and start-up is fast. */
function fromImage(version: string): Way {
  return (tried) =>
    cached(`image-${version}`, tried, async (folder) => {
      if (process.platform !== 'linux') throw new Error('an image holds a binary for Linux')
      const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers')
      await getContainerRuntimeClient()
      const container = await new GenericContainer(`gcr.io/etcd-development/etcd:v${version}`)
        .withCommand(['/usr/local/bin/etcd'])
        .withWaitStrategy(Wait.forLogMessage(/ready to serve client requests/))
        .withStartupTimeout(120_000)
        .start()
      try {
        const archive = await container.copyArchiveFromContainer('/usr/local/bin/etcd')
        const tar = spawn('tar', ['-x', '-C', folder, '-f', '-'], { stdio: ['pipe', 'ignore', 'inherit'] })
        await Promise.all([pipeline(archive, tar.stdin), once(tar, 'exit')])
      } finally {
        await container.stop()
      }
      return 'etcd'
    })
}

async function fromGo(tried: string[]): Promise<string | undefined> {
  return orTold('Go', tried, () => buildEtcdProgram('etcd'))
}

async function fromDebian(tried: string[]): Promise<string | undefined> {
  return cached('debian', tried, (folder) => unpackOldDebian('etcd-server', 'etcd', folder))
}

function cached(name: string, tried: string[], make: (folder: string) => Promise<string>) {
  return orTold(name, tried, async () => {
    await makeOnce(cachePath(name), make)
    return cachePath(name)
  })
}

async function orTold(name: string, tried: string[], make: () => Promise<string>): Promise<string | undefined> {
  try {
    return await make()
  } catch (error) {
    tried.push(`${name}: ${error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error)}`)
    return undefined
  }
}

function cachePath(name: string): string {
  return cacheFile('etcd', `etcd-${name}-${process.arch}`)
}
