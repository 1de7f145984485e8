// The door of `quarterdeck/testing`, for the usual test runners. A file of tests has a server, and each test has a fork of it. Other
// functions apply objects and wait for them. This file loads no runner: callers pass the functions of their runner.
import type { Client } from '../../client/client.ts'
import { checkOptions, checkValue } from '../../lib/known-options.ts'
import { getOrInsert } from '../../lib/map-entries.ts'
import { type RequestRecord, type Server, SERVER_OPTIONS, type ServerOptions, startServer } from '../library.ts'

export { type Applied, applyYaml, type ApplyYamlOptions } from './apply-yaml.ts'
export type { Wanted } from './differences.ts'
export {
  explore,
  type ExploredFault,
  type ExploredWorld,
  type ExploreOptions,
  ExplorationError,
  type Program,
} from './explore.ts'
export {
  eventually,
  type NamedObject,
  type Target,
  waitFor,
  type WaitCondition,
  type WaitOptions,
  WaitTimeoutError,
} from './wait.ts'
export type { RecordedRequest, RecordOptions, RequestRecord, Server, ServerOptions } from '../library.ts'

/** The options of a file's server, which must be in memory, and of the report for a failed test. */
export interface FixtureOptions extends ServerOptions {
  /** Prepares the server of the file, once, before the first test: definitions, users, objects that all tests begin with. */
  readonly setup?: (server: Server) => unknown
  /** The number of last requests that are printed when a test fails. 0: none. Default: 20. */
  readonly printRequests?: number
}

/** The fixtures of a test. */
export interface ServerFixtures {
  /** The given options. */
  readonly serverOptions: FixtureOptions
  /** The server of the file. Each test has a fork of it. Do not change it after `setup`. */
  readonly fileServer: Server
  /** The server of this test. No other test sees its changes. */
  readonly server: Server
  /** The administrator's client of `server`. For other users: `server.client({ name: 'ann' })`. */
  readonly client: Client
  /** The requests to the server since the test began. */
  readonly requests: RequestRecord
}

type Fixture<Needs extends object, Name extends keyof ServerFixtures> = (
  needs: Needs,
  use: (value: ServerFixtures[Name]) => Promise<void>,
) => Promise<void>

/** The part of vitest's test context that a fixture uses. */
interface VitestContext {
  readonly onTestFailed: (listener: () => void) => void
}

/** The argument of vitest's `test.extend`. */
export interface VitestFixtures {
  readonly serverOptions: [FixtureOptions, { scope: 'file' }]
  readonly fileServer: [Fixture<Pick<ServerFixtures, 'serverOptions'>, 'fileServer'>, { scope: 'file' }]
  readonly server: Fixture<Pick<ServerFixtures, 'serverOptions' | 'fileServer'> & VitestContext, 'server'>
  readonly client: Fixture<Pick<ServerFixtures, 'server'>, 'client'>
  readonly requests: Fixture<Pick<ServerFixtures, 'server'>, 'requests'>
}

const DEFAULT_PRINTED = 20

type Hook = (hook: () => Promise<unknown>, timeoutMs?: number) => unknown

/** The longest time in which the server of a file starts or stops, `setup` included. A test may take 5 seconds in most runners. */
const HOOK_TIMEOUT_MS = 60_000

/** The global function `beforeAll` of jest and vitest, if it exists. */
const globalHook = (): Hook | undefined => (globalThis as { readonly beforeAll?: Hook }).beforeAll

/**
 * Fixtures for vitest (3.2 or later), to be extended like any others:
 *
 *     import { beforeAll, test as base } from 'vitest'
 *     const setup = (server: Server) => applyYaml(server, './crds.yaml')
 *     const test = base.extend<ServerFixtures>(serverFixtures({ setup }, { beforeAll }))
 *
 *     test('makes a deployment', async ({ client }) => { … })
 *
 * The server of the file starts in the hook, within a minute. Without a hook, the first test starts the server, and the time counts for
 * that test.
 */
export function serverFixtures(
  options: FixtureOptions = {},
  hooks: { readonly beforeAll?: Hook } = {},
): VitestFixtures {
  checkFixtures(options)
  checkOptions('serverFixtures', hooks, { beforeAll: 'function?' })
  const { beforeAll = globalHook() } = hooks
  const servers = new FileServers()
  beforeAll?.(async () => {
    await servers.take(options)
    return () => servers.release(options)
  }, HOOK_TIMEOUT_MS)
  // Vitest reads from the text of a function which fixtures the function needs, so the first parameter must destructure them.
  return {
    serverOptions: [options, { scope: 'file' }],
    fileServer: [
      async ({ serverOptions }, use) => {
        const server = await servers.take(serverOptions)
        try {
          await use(server)
        } finally {
          await servers.release(serverOptions)
        }
      },
      { scope: 'file' },
    ],
    server: async ({ serverOptions, fileServer, onTestFailed }, use) => {
      await using server = await fileServer.fork()
      using requests = server.recordRequests()
      onTestFailed(() => printRequests(requests, serverOptions))
      await use(server)
    },
    client: async ({ server }, use) => {
      await use(server.client())
    },
    requests: async ({ server }, use) => {
      using requests = server.recordRequests()
      await use(requests)
    },
  }
}

type Register = (name: string, body: () => Promise<void>) => unknown

/** The functions of a runner that `serverTest` uses. A member is absent if the runner has no such function. */
export interface TestRunner {
  readonly test: Register & { readonly only: Register; readonly skip: Register }
  /** `before` and `after` are functions of node:test. */
  readonly before?: (hook: () => Promise<unknown>) => unknown
  readonly after?: (hook: () => Promise<unknown>) => unknown
  /** `beforeAll` and `afterAll` are functions of jest and vitest. The global `beforeAll` replaces an absent one. */
  readonly beforeAll?: Hook
  readonly afterAll?: Hook
}

type DeclareTest = (name: string, body: (fixtures: ServerFixtures) => unknown) => void

/** Declares a test that has a server of its own. */
export interface ServerTest extends DeclareTest {
  readonly only: DeclareTest
  readonly skip: DeclareTest
}

/**
 * Returns a `test` function for runners without fixtures. Each of its tests gets a server of its own. Call `serverTest` once in each file.
 *
 *     import { after, before, test as base } from 'node:test'
 *     const test = serverTest({ test: base, before, after })
 *
 *     test('makes a deployment', async ({ client }) => { … })
 *
 * For jest, write `serverTest({ test: base, beforeAll, afterAll })`. jest loads modules with `NODE_OPTIONS=--experimental-vm-modules`. The
 * server starts in the first hook, within a minute. Without such a hook, the first test starts it.
 */
export function serverTest(runner: TestRunner, options: FixtureOptions = {}): ServerTest {
  checkValue('serverTest', 'runner', runner, 'object')
  checkValue('serverTest', 'test', runner.test, 'function')
  checkFixtures(options)
  const begin: Hook | undefined = runner.before ?? runner.beforeAll ?? globalHook()
  const finish: Hook | undefined = runner.after ?? runner.afterAll
  if (finish === undefined) {
    throw new TypeError(
      'pass the functions that start and stop the server: { test, before, after } of node:test, { test, beforeAll, afterAll } of jest',
    )
  }
  // In node:test, the second parameter of a hook is an object, and hooks have no time limit.
  const limit = runner.after === undefined ? [HOOK_TIMEOUT_MS] : []
  let started: Promise<Server> | undefined
  const start = (): Promise<Server> => (started ??= startFileServer(options))
  begin?.(start, ...limit)
  const stop = async (): Promise<void> => {
    const server = await started?.catch(() => undefined)
    await server?.stop()
  }
  finish(stop, ...limit)
  const run = async (body: (fixtures: ServerFixtures) => unknown): Promise<void> => {
    const fileServer = await start()
    await using server = await fileServer.fork()
    using requests = server.recordRequests()
    try {
      await body({ serverOptions: options, fileServer, server, client: server.client(), requests })
    } catch (error) {
      printRequests(requests, options)
      throw error
    }
  }
  // The registered function has no parameters: jest would pass a callback as the first parameter, and wait for its call.
  const declaring =
    (register: Register): DeclareTest =>
    (name, body) => {
      checkValue(`test ${name}`, 'function', body, 'function')
      register(name, () => run(body))
    }
  const { test } = runner
  return Object.assign(declaring(test), { only: declaring(test.only), skip: declaring(test.skip) })
}

/** Vitest sets up the fixtures of a file once for each extended `test`. All of these tests share one server. */
class FileServers {
  readonly #used = new Map<FixtureOptions, { readonly server: Promise<Server>; users: number }>()

  async take(options: FixtureOptions): Promise<Server> {
    const used = getOrInsert(this.#used, options, () => ({ server: startFileServer(options), users: 0 }))
    used.users++
    try {
      return await used.server
    } catch (error) {
      this.#used.delete(options)
      throw error
    }
  }

  async release(options: FixtureOptions): Promise<void> {
    const used = this.#used.get(options)
    if (used === undefined || --used.users > 0) return
    this.#used.delete(options)
    await (await used.server).stop()
  }
}

function checkFixtures(options: FixtureOptions): void {
  checkOptions('the fixtures', options, { ...SERVER_OPTIONS, setup: 'function?', printRequests: 'count?' })
}

async function startFileServer(given: FixtureOptions): Promise<Server> {
  const { setup, printRequests: _printed, ...options } = given
  checkFixtures(given)
  const server = await startServer(options)
  try {
    await setup?.(server)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

function printRequests(requests: RequestRecord, { printRequests: count = DEFAULT_PRINTED }: FixtureOptions): void {
  if (count === 0) return
  const lines = requests.lines().slice(-count)
  console.error(['The last requests to the server:', ...(lines.length === 0 ? ['  none'] : lines)].join('\n'))
}
