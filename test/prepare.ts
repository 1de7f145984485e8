// Finds, fetches or builds everything that the tests need beside npm's packages: Go, Python, etcd, a browser, a balancer, clients and
// definitions of public projects. Programs that cannot be had are told once, with what to install. Where all is in the cache it takes no
// time. `make test` does this beside its unit tests (`tools.test.ts`).
//
//     node test/prepare.ts         what `make test` needs
//     node test/prepare.ts long    and what only the long tests need
import { API_LEVELS } from '../src/api/level.ts'
import { findChromium } from './rigs/chromium.ts'
import { findEtcd } from './rigs/etcd-binary.ts'
import { buildEtcdProgram } from './rigs/etcd-programs.ts'
import { buildGoClient, buildGoTests, buildSecurityTool, GO_CLIENTS, OPERATOR_IN_GO } from './rigs/go-client.ts'
import { findGo } from './rigs/go-toolchain.ts'
import { findHaproxy } from './rigs/haproxy.ts'
import { findOldKubectl } from './rigs/kubectl.ts'
import { fetchModules } from './corpora/public-modules.ts'
import { FEW_PROJECTS } from './corpora/public-projects.ts'
import { fetchPythonClient } from './rigs/python-client.ts'

/** What takes longer than this is told of, so that nobody wonders. */
const QUIET_MS = 1000

interface Need {
  readonly name: string
  readonly get: () => Promise<unknown>
}

/** One after another, until one cannot be had: a build takes all processors, and each needs Go. */
const BUILT: readonly Need[] = [
  { name: 'Go', get: findGo },
  { name: 'etcd', get: () => findEtcd('newest') },
  ...(['etcdctl', 'etcdutl', 'bbolt'] as const).map((name) => ({ name, get: () => buildEtcdProgram(name) })),
  { name: 'definitions of public projects', get: () => fetchModules(FEW_PROJECTS) },
  { name: 'h2spec', get: () => buildSecurityTool('h2spec') },
  ...GO_CLIENTS.map((name) => ({ name: `the Go client ${name}`, get: () => buildGoClient(name) })),
]
/** After those that are built. */
const FOR_LONG_TESTS: readonly Need[] = [
  ...API_LEVELS.flatMap((level) =>
    GO_CLIENTS.map((name) => ({
      name: `the Go client ${name} of level ${level}`,
      get: () => buildGoClient(name, level),
    })),
  ),
  { name: 'the tests of the operator in Go', get: () => buildGoTests(OPERATOR_IN_GO) },
]
/** At once: each is on its own. */
const FETCHED: readonly Need[] = [
  { name: 'Chromium', get: findChromium },
  { name: 'haproxy', get: findHaproxy },
  { name: 'the Python client', get: fetchPythonClient },
  { name: 'the oldest etcd', get: () => findEtcd('oldest') },
  { name: 'the oldest kubectl', get: findOldKubectl },
]

async function getAll(needs: readonly Need[]): Promise<void> {
  for (const { name, get } of needs) {
    const slow = setTimeout(() => console.log(`getting ${name} for the tests`), QUIET_MS)
    const began = performance.now()
    try {
      await get()
      const seconds = (performance.now() - began) / 1000
      if (seconds * 1000 > QUIET_MS) console.log(`got ${name} in ${seconds.toFixed(0)} s`)
    } catch (error) {
      throw new Error(`${name}: ${allWords(error)}`, { cause: error })
    } finally {
      clearTimeout(slow)
    }
  }
}

/** An error with what caused it, each in its first lines. */
function allWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const words = error.message.trim().split('\n').slice(0, 8).join('\n    ')
  return error.cause === undefined ? words : `${words}\n    ${allWords(error.cause)}`
}

/** A sentence for the person who runs the tests; undefined where there is everything. */
export async function prepare(built: readonly Need[] = BUILT): Promise<string | undefined> {
  const results = await Promise.allSettled([getAll(built), ...FETCHED.map((need) => getAll([need]))])
  const missing = results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).message] : []))
  return missing.length === 0
    ? undefined
    : `The tests need programs that cannot be had here:\n\n  ${missing.join('\n  ')}`
}

if (import.meta.main) {
  const fault = await prepare(process.argv[2] === 'long' ? [...BUILT, ...FOR_LONG_TESTS] : BUILT)
  if (fault !== undefined) {
    console.error(fault)
    process.exitCode = 1
  }
}
