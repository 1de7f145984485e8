// Programs written in Go, built from their sources in test: clients (the kubectl that people use, an informer, a controller, a test
// environment) and the reference server with its controllers. A build takes minutes the first time, and nothing as long as
// its sources stay as they are.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGo } from './go-toolchain.ts'
import { cacheFile, isExecutable, makeOnce } from './made-once.ts'

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

/** Resolves to the program's path. Throws and says what to install where it cannot be built. */
export function buildGoClient(name: (typeof GO_CLIENTS)[number]): Promise<string> {
  return buildGoProgram(CLIENTS, name)
}

/** Like `buildGoClient`; each takes five minutes of two processors the first time. */
export function buildReference(name: 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler'): Promise<string> {
  return buildGoProgram(REFERENCE, name)
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
export async function isReferenceBuilt(name: 'kube-apiserver'): Promise<boolean> {
  return isExecutable(await programPath(REFERENCE, name))
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

function programPath(sources: string, name: string): Promise<string> {
  return builtPath(sources, name, ['go.mod', 'go.sum', `${name}/main.go`])
}

async function builtPath(sources: string, name: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) hash.update(await readFile(join(sources, file)))
  return cacheFile('go', `${name}-${hash.digest('hex').slice(0, 12)}-${process.arch}`)
}

async function buildGoProgram(sources: string, name: string): Promise<string> {
  const path = await programPath(sources, name)
  await makeOnce(path, async (folder) => {
    const stamp = { gitVersion: 'v1.36.4', gitMajor: '1', gitMinor: '36' }
    const flags = Object.entries(stamp).map(([key, value]) => `-X ${VERSION}.${key}=${value}`)
    const linked = `-ldflags=-s -w ${flags.join(' ')}`
    await runGo(['build', '-trimpath', linked, '-o', join(folder, name), `./${name}`], sources)
    return name
  })
  return path
}
