// Finds a real etcd, or makes one: ETCD_BIN, PATH, an image through testcontainers, a build with Go, Debian's package.
// What is made is kept in a cache outside the checkout; where nothing works it throws and says what to install.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { unpackDebian } from './debian-package.ts'
import { cacheFile, findOnPath, isExecutable, makeOnce } from './made-once.ts'

const run = promisify(execFile)

export interface EtcdBinary {
  readonly path: string
  /** As the binary tells it: `3.6.14`. */
  readonly version: string
}

/** The two ends of the range of versions that we support: the newest line, and the oldest. */
export type EtcdLine = 'newest' | 'oldest'

/** One way to come by an etcd: the path of the binary, or undefined with a line in `tried` that says why not. */
type Way = (tried: string[]) => Promise<string | undefined>

const NEWEST = '3.6.14'
const OLDEST = '3.4.23'

const WAYS: Readonly<Record<EtcdLine, readonly Way[]>> = Object.freeze({
  newest: [fromVariable('ETCD_BIN'), fromPath, fromCache, fromImage(NEWEST), fromGo, fromDebian],
  oldest: [fromVariable('ETCD_OLDEST_BIN'), fromImage(OLDEST), fromDebian],
})

const ADVICE: Readonly<Record<EtcdLine, string>> = Object.freeze({
  newest:
    'Install one of: Go (https://go.dev/dl, it builds etcd by itself), Docker, an etcd on PATH, ' +
    'or Debian with its package etcd-server; or set ETCD_BIN to an etcd binary.',
  oldest:
    'Install Docker, or use Debian 12 whose package etcd-server has it (apt-get download must work), ' +
    'or set ETCD_OLDEST_BIN to an etcd 3.4 binary.',
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

async function fromPath(tried: string[]): Promise<string | undefined> {
  const path = await findOnPath('etcd')
  if (path === undefined) tried.push('no etcd on PATH')
  return path
}

/** What was made before. It stands in front of the image because asking for a container engine takes half a second. */
async function fromCache(): Promise<string | undefined> {
  for (const name of [`image-${NEWEST}`, `go-${NEWEST}`]) {
    if (await isExecutable(cachePath(name))) return cachePath(name)
  }
  return undefined
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
  return cached(`go-${NEWEST}`, tried, async (folder) => {
    await run('go', ['version'])
    await writeFile(
      join(folder, 'go.mod'),
      `module quarterdeck/test/etcd\n\ngo 1.24\n\nrequire go.etcd.io/etcd/server/v3 v${NEWEST}\n`,
    )
    await writeFile(
      join(folder, 'main.go'),
      'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n',
    )
    await run('go', ['build', '-mod=mod', '-trimpath', '-ldflags=-s -w', '-o', 'etcd', '.'], {
      cwd: folder,
      env: { ...process.env, CGO_ENABLED: '0' },
      maxBuffer: 64 << 20,
    })
    return 'etcd'
  })
}

async function fromDebian(tried: string[]): Promise<string | undefined> {
  return cached('debian', tried, (folder) => unpackDebian('etcd-server', 'etcd', folder))
}

async function cached(name: string, tried: string[], make: (folder: string) => Promise<string>) {
  try {
    await makeOnce(cachePath(name), make)
    return cachePath(name)
  } catch (error) {
    tried.push(`${name}: ${error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error)}`)
    return undefined
  }
}

function cachePath(name: string): string {
  return cacheFile('etcd', `etcd-${name}-${process.arch}`)
}
