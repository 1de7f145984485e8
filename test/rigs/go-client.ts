// Programs written in Go, built from their sources in test: clients (the kubectl that people use, an informer, a controller, a test
// environment) and the reference server with its controllers. A build takes minutes the first time, and nothing as long as
// its sources stay as they are.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { API_LEVELS, type ApiLevel, DEFAULT_LEVEL } from '../../src/api/level.ts'
import { runGo } from './go-toolchain.ts'
import { cacheFile, isExecutable, makeOnce } from './made-once.ts'
import { IS_WHOLE } from './whole.ts'

const CLIENTS = join(import.meta.dirname, '../integration/go')
const REFERENCE = join(import.meta.dirname, '../reference/go')
const CERT_MANAGER = join(import.meta.dirname, '../reference/cert-manager')
const SECURITY = join(import.meta.dirname, '../security/go')
const VERSION = 'k8s.io/component-base/version'

/** How long a build may take on a slow machine that has never built it. */
export const GO_BUILD_LIMIT_MS = 1_200_000

export const GO_CLIENTS = ['kubectl', 'informer', 'verbs', 'controller', 'envtest'] as const

/** The operator of the examples, tested in Go. */
export const OPERATOR_IN_GO = join(import.meta.dirname, '../examples/operator/go')

/** What the clients are of that `make test` runs; `make test-long` runs those of every level. */
const CLIENT_LEVEL: ApiLevel = '1.36'
export const CLIENT_LEVELS: readonly ApiLevel[] = IS_WHOLE ? API_LEVELS : [CLIENT_LEVEL]

/** Resolves to the program's path. Throws and says what to install where it cannot be built. */
export function buildGoClient(name: (typeof GO_CLIENTS)[number], level: ApiLevel = CLIENT_LEVEL): Promise<string> {
  return buildGoProgram(CLIENTS, name, RELEASES[level])
}

export type ReferenceProgram = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler'

/** Like `buildGoClient`, of the release for an API level; each takes five minutes of two processors the first time. */
export function buildReference(name: ReferenceProgram, level: ApiLevel = DEFAULT_LEVEL): Promise<string> {
  return buildGoProgram(REFERENCE, name, RELEASES[level])
}

/** Like `buildGoClient`: a part of cert-manager. */
export function buildCertManager(name: 'controller' | 'cainjector' | 'webhook'): Promise<string> {
  return buildGoProgram(CERT_MANAGER, name)
}

/** Like `buildGoClient`. */
export function buildSecurityTool(name: 'h2spec'): Promise<string> {
  return buildGoProgram(SECURITY, name)
}

/** Whether `buildReference` has nothing to do. */
export async function isReferenceBuilt(name: ReferenceProgram, level: ApiLevel = DEFAULT_LEVEL): Promise<boolean> {
  return isExecutable(await programPath(REFERENCE, name, RELEASES[level]))
}

/** Like `buildGoClient`: the tests of the package in the folder, to be run there. */
export async function buildGoTests(folder: string): Promise<string> {
  const path = await builtPath(folder, 'tests', await readdir(folder))
  await makeOnce(path, async (target) => {
    await runGo(['test', '-c', '-trimpath', '-ldflags=-s -w', '-o', join(target, 'tests')], folder)
    return 'tests'
  })
  return path
}

/** The module that a program is built from, and the version that it tells. */
interface Release {
  readonly version: string
  /** The names of `go.mod` and `go.sum` without their endings. */
  readonly modules: string
}

const RELEASES = {
  '1.36': { version: '1.36.4', modules: 'go' },
  '1.37': { version: '1.37.1', modules: 'level-1.37' },
} as const satisfies Readonly<Record<ApiLevel, Release>>

function programPath(sources: string, name: string, { modules }: Release): Promise<string> {
  return builtPath(sources, name, [`${modules}.mod`, `${modules}.sum`, `${name}/main.go`])
}

async function builtPath(sources: string, name: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) hash.update(await readFile(join(sources, file)))
  return cacheFile('go', `${name}-${hash.digest('hex').slice(0, 12)}-${process.arch}`)
}

async function buildGoProgram(sources: string, name: string, release: Release = RELEASES['1.36']): Promise<string> {
  const path = await programPath(sources, name, release)
  await makeOnce(path, async (folder) => {
    const [gitMajor, gitMinor] = release.version.split('.')
    const stamp = { gitVersion: `v${release.version}`, gitMajor, gitMinor }
    const flags = Object.entries(stamp).map(([key, value]) => `-X ${VERSION}.${key}=${value}`)
    const linked = `-ldflags=-s -w ${flags.join(' ')}`
    const modules = `-modfile=${release.modules}.mod`
    await runGo(['build', modules, '-trimpath', linked, '-o', join(folder, name), `./${name}`], sources)
    return name
  })
  return path
}
