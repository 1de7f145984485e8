// The package as a stranger has it: nothing of this repository but what is packed, and the packages that it names. `make test` has the oldest and
// the newest TypeScript and each runner of tests once; `make test-long` has all of them.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MANUALS } from '../../src/commands/manual.ts'
import { commentedExamples, documentedExamples, type Example, examplesIn } from '../corpora/documents.ts'
import {
  GO_TOOL,
  installIn,
  type InstalledPackage,
  installPackage,
  MODULES,
  OUTER_PATH,
} from '../rigs/installed-package.ts'
import { openServer, type ServerAddress } from '../rigs/running-server.ts'
import { IS_WHOLE, rowsOf } from '../rigs/whole.ts'
import manifest from '../../package.json' with { type: 'json' }

const execute = promisify(execFile)
const EXAMPLES = path.join(import.meta.dirname, '../examples')
const MOST_PACKED_BYTES = 5_000_000
const MOST_INSTALLED_BYTES = 60_000_000
const { '@types/node': nodeTypes, vitest, zod } = manifest.devDependencies
/** Nothing else here needs jest: it is not among the packages of this repository. */
const OTHERS = { '@types/node': nodeTypes, vitest, zod, jest: '30.5.2' }
/** Everything that the package exports, as it is imported. */
const ENTRIES = Object.keys(manifest.exports)
  .filter((entry) => entry !== './package.json')
  .map((entry) => entry.replace('.', 'quarterdeck'))

const EXAMPLE = `import { startServer, type Server } from 'quarterdeck'

await using server: Server = await startServer({ users: [{ name: 'ann', groups: ['developers'] }] })
console.log(server.url)
console.log(server.kubeconfig('ann').users[0]?.name)
`

let installed: InstalledPackage
let home: string

function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd: home, encoding: 'utf8', env: { ...process.env, ...GO_TOOL, HOME: home } })
}

// A fresh clone installs all packages before it packs.
beforeAll(() => {
  installed = installPackage(OTHERS)
  home = installed.home
}, 900_000)

afterAll(() => installed[Symbol.dispose]())

it('has what is built and nothing else, and is small', () => {
  const { files, size } = installed.packed
  const others = files
    .map((file) => file.path)
    .filter(
      (file) =>
        !/^dist\/([\w.-]+\.js|entry\/.+\.c?js|types\/.+\.d\.c?ts|console\/.+\.br|man\/quarterdeck(-[a-z-]+)?\.1|completion\/quarterdeck\.(bash|zsh|fish))$/.test(
          file,
        ),
    )
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'dist/console/built-from', 'package.json'])
  expect(size).toBeLessThan(MOST_PACKED_BYTES)
  const commands = [...MANUALS.keys()].map((name) => `quarterdeck-${name}`)
  expect(manifest.man).toEqual(['quarterdeck', ...commands].map((name) => `./dist/man/${name}.1`).sort())
  expect(files.map((file) => `./${file.path}`)).toEqual(expect.arrayContaining(manifest.man))
  expect(files.filter((file) => file.path.startsWith('dist/types/')).length).toBeLessThan(20)
})

it('takes at most 60 MB in an empty project, with the packages that it needs', () => {
  const alone = path.join(home, 'alone')
  mkdirSync(alone)
  const dependencies = { quarterdeck: `file:../${installed.packed.filename}` }
  writeFileSync(path.join(alone, 'package.json'), JSON.stringify({ dependencies }))
  installIn(alone)
  const installedFiles = readdirSync(path.join(alone, 'node_modules'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(path.join(entry.parentPath, entry.name)).size)
  expect(installedFiles.length).toBeGreaterThan(1000)
  expect(installedFiles.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(MOST_INSTALLED_BYTES)
})

it('has no Node of its own, which the scripts of the project would run', () => {
  const own = JSON.parse(readFileSync(path.join(home, 'node_modules/quarterdeck/package.json'), 'utf8')) as object
  for (const key of ['dependencies', 'optionalDependencies', 'peerDependencies']) {
    expect(Object.keys((own as Record<string, object>)[key] ?? {}).filter((name) => /^node(-|$)/.test(name))).toEqual(
      [],
    )
  }
  expect(readdirSync(path.join(home, 'node_modules')).filter((name) => /^node-(linux|darwin|win)/.test(name))).toEqual(
    [],
  )
  expect(existsSync(path.join(home, 'node_modules/.bin/node'))).toBe(false)
})

it('has the command', async () => {
  const args = ['--offline', 'quarterdeck', 'serve', '--in-memory', '--secure-port', '0']
  // In a group of its own, to be stopped with all that it starts.
  const child = spawn('npx', args, { cwd: home, env: { ...process.env, HOME: home }, detached: true })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const closed = once(child, 'close')
  await expect.poll(() => said).toContain(`quarterdeck ${manifest.version} is listening on https://127.0.0.1:`)
  process.kill(-child.pid!, 'SIGTERM')
  await closed
  expect(said).toContain('shutting down')
})

/** Compiles files in the folder as a user would, with nothing checked less strictly than usual. */
function compile(...files: readonly string[]): void {
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'esnext']
  try {
    run(path.join(MODULES, '.bin/tsc'), ...options, '--allowImportingTsExtensions', '--types', 'node', ...files)
  } catch (error) {
    // The compiler prints its faults on standard output.
    throw new Error(String((error as { readonly stdout?: unknown }).stdout), { cause: error })
  }
}

it('has the library, with its types', () => {
  writeFileSync(path.join(home, 'example.ts'), EXAMPLE)
  compile('example.ts')
  expect(run(process.execPath, 'example.ts')).toMatch(/^https:\/\/127\.0\.0\.1:\d+\nann\n$/)
})

/** Uses types of every entry, and what they must refuse. */
const TYPED = `import { startServer, type Server } from 'quarterdeck'
import { Client, k8s, type Resource } from 'quarterdeck/client'
import { defineResource } from 'quarterdeck/define'
import type { Extensible } from 'quarterdeck/extensions'
import { serverTest } from 'quarterdeck/testing'
export const used = [defineResource, serverTest]
export type Used = Extensible
export async function textOf(server: Server): Promise<string> {
  // The classes of one entry are those of the others.
  const client: Client = server.client()
  const maps: Resource<k8s.ConfigMap> = client.resource(k8s.ConfigMap).inNamespace('default')
  // @ts-expect-error
  await maps.get(undefined)
  // @ts-expect-error
  await maps.delete(process.env['NAME'])
  // @ts-expect-error
  client.resource(k8s.ConfigMap).inNamespace(process.env['NAMESPACE'])
  // @ts-expect-error
  await maps.delete('a', { dryrun: true })
  // @ts-expect-error
  await startServer({ prot: 6443 })
  // @ts-expect-error
  await startServer({ users: [{ name: 'ann', group: [] }] })
  // @ts-expect-error
  await server.fork({ dataDir: '/' })
  // @ts-expect-error
  new Client({ kubeconfig: '', tokn: 't' })
  const { data } = await maps.get('a')
  return data?.['text'] ?? ''
}
`
/** The oldest that is supported, and what people have. */
const COMPILERS = ['typescript-5.4', 'typescript-5.9', 'typescript-6.0', 'typescript']
const MODULE_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  bundler: ['--module', 'esnext', '--moduleResolution', 'bundler'],
  node16: ['--module', 'node16'],
  nodenext: ['--module', 'nodenext'],
}

/** In a slice the oldest and the newest, each with another setting. */
const COMPILED = COMPILERS.flatMap((compiler) =>
  Object.entries(MODULE_SETTINGS).map(([setting, options]) => ({ compiler, setting, options })),
).filter(
  ({ compiler, setting }) =>
    IS_WHOLE || ['typescript-5.4 node16', 'typescript bundler'].includes(`${compiler} ${setting}`),
)

it.each(COMPILED)(
  'has types that are strict with $compiler and the modules of $setting',
  async ({ compiler, setting, options }) => {
    const files = setting === 'bundler' ? ['typed.ts'] : ['typed.ts', 'typed.cts']
    for (const file of files) writeFileSync(path.join(home, file), TYPED)
    const strict = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      'false',
      '--types',
      'node',
    ]
    const tsc = path.join(MODULES, compiler, 'bin/tsc')
    const args = [tsc, ...strict, '--target', 'es2022', ...options, ...files]
    const { stdout } = await execute(process.execPath, args, { cwd: home }).catch((error: unknown) => error as Failed)
    expect(stdout).toBe('')
  },
)

const IMPORTED = `${ENTRIES.map((entry, i) => `import * as m${i} from '${entry}'`).join('\n')}
export const loaded = [${ENTRIES.map((_, i) => `m${i}`).join(', ')}]
`
const LOAD = `import { createRequire } from 'node:module'
import { loaded } from './imported.js'
const require = createRequire(import.meta.url)
const required = ${JSON.stringify(ENTRIES)}.map((entry) => require(entry))
// An ES module that imports the package can be required too.
const again = require('./imported.js').loaded
for (const [i, module] of loaded.entries())
  for (const name of Object.keys(module))
    if (module[name] === undefined || module[name] !== required[i][name] || again[i][name] !== module[name]) throw new Error(name)
await using server = await required[0].startServer()
if (!(server.client() instanceof loaded[1].Client)) throw new Error('another class')
console.log(loaded.map((module) => Object.keys(module).length > 0).join())
`

it.each([
  ['', []],
  [', as a Node does that cannot require ES modules', ['--no-experimental-require-module']],
])('is imported, by every entry%s', (_, flags) => {
  writeFileSync(path.join(home, 'imported.js'), IMPORTED)
  writeFileSync(path.join(home, 'import.js'), "import { loaded } from './imported.js'\nconsole.log(loaded.length)\n")
  expect(run(process.execPath, ...flags, 'import.js')).toBe(`${ENTRIES.length}\n`)
})

it('is required, by every entry, and is then the same', () => {
  writeFileSync(path.join(home, 'imported.js'), IMPORTED)
  writeFileSync(path.join(home, 'load.js'), LOAD)
  expect(run(process.execPath, 'load.js')).toBe(`${ENTRIES.map(() => 'true').join()}\n`)
})

describe('with a Node that is too old', () => {
  const REFUSAL = /quarterdeck: this is Node [\d.]+, and Node 24\.15\.0 or newer is needed/
  const code = "Object.defineProperty(process.versions, 'node', { value: '24.14.9' })"
  const pretending = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(code)}`]
  const others = oldNodesOnPath().map((node) => [node])
  const nodes = [pretending, [...pretending, '--no-experimental-require-module'], ...others]

  it.each(IS_WHOLE ? ENTRIES : ENTRIES.slice(0, 2))('%s says so in one line', (entry) => {
    const ways = [
      ['--input-type=module', '--eval', `import '${entry}'`],
      ['--input-type=commonjs', '--eval', `require('${entry}')`],
      ['--input-type=commonjs', '--eval', `import('${entry}')`],
    ]
    for (const [node = '', ...flags] of nodes) {
      for (const way of ways) {
        const { status, stderr } = spawnSync(node, [...flags, ...way], { cwd: home, encoding: 'utf8' })
        expect([status, stderr]).toEqual([1, expect.stringMatching(REFUSAL)])
        expect(stderr.match(new RegExp(REFUSAL, 'g'))).toHaveLength(1)
        expect(stderr).not.toMatch(/SyntaxError|^ +at /m)
      }
    }
  })

  it('the command says so in one line', () => {
    for (const [node = '', ...flags] of nodes) {
      const args = [...flags, path.join(home, 'node_modules/quarterdeck/dist/quarterdeck.js'), 'version']
      const { status, stdout, stderr } = spawnSync(node, args, { cwd: home, encoding: 'utf8' })
      expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(new RegExp(`^${REFUSAL.source}\n$`))])
    }
  })

  it('has nothing in the files that are read first that it could not read', () => {
    const folder = path.join(home, 'node_modules/quarterdeck/dist/entry')
    for (const name of readdirSync(folder)) {
      const text = readFileSync(path.join(folder, name), 'utf8')
      // Older ones have no `await` in the place where it is.
      const oldest = text.includes('await') ? 'node14.8' : 'node12.20'
      const written = (target: string): string =>
        transformSync(text, { target, format: name.endsWith('.cjs') ? 'cjs' : 'esm' }).code
      expect(written(oldest)).toBe(written('esnext'))
      for (const [, from = ''] of text.matchAll(/^import .*'([^']+)'$/gm))
        expect(['module', './node-version.cjs']).toContain(from)
    }
  })
})

function oldNodesOnPath(): string[] {
  const found = OUTER_PATH.split(path.delimiter).map((folder) => path.join(folder, 'node'))
  const files = new Set(found.filter((file) => existsSync(file)).map((file) => realpathSync(file)))
  return [...files].filter((file) => {
    const version = spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout
    return Number(/^v(\d+)/.exec(version)?.[1] ?? Number.NaN) < 24
  })
}

function write(prefix: string, examples: readonly Example[], before = ''): readonly string[] {
  return examples.map(({ text }, i) => {
    const name = `${prefix}-${i}.ts`
    writeFileSync(path.join(home, name), `${before}${text}\n`)
    return name
  })
}

it('has what the documents show, which runs', async () => {
  const files = write(
    'documented',
    documentedExamples().filter(({ language }) => language === 'ts'),
  )
  expect(files).not.toEqual([])
  compile(...files)
  await using server = await openServer()
  const kubeconfig = path.join(home, 'kubeconfig')
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(server)))
  const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfig }
  const colours = { metadata: { name: 'colours', labels: { copied: 'yes' } }, data: { sky: 'blue' } }
  await server.must('/api/v1/namespaces/default/configmaps', { method: 'POST', body: colours })
  for (const file of files) {
    const child = spawn(process.execPath, [file], { cwd: home, env })
    let [said, errors] = ['', '']
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    // A controller runs until it is told to stop. A second signal would end it at once.
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (!child.killed && said.includes('reconciled colours')) child.kill('SIGTERM')
    })
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code, `${file}: ${errors}`).toBe(0)
  }
})

it('does not have what a document makes up', () => {
  const wrong = "Try:\n\n    import { startServer } from 'quarterdeck'\n    await startServer({ prot: 6443 })\n"
  expect(() => compile(...write('wrong', examplesIn('a.md', wrong)))).toThrow("'prot' does not exist in type")
})

/** What comments take for granted. */
const KNOWN_IN_COMMENTS = `import type { Server } from 'quarterdeck'
import { type Client, k8s } from 'quarterdeck/client'
import { applyYaml, eventually, explore, serverFixtures, type ServerFixtures, serverTest, waitFor } from 'quarterdeck/testing'
import { expect } from 'vitest'
declare const server: Server
declare const client: Client
interface Widget { apiVersion: string; kind: string; metadata: { name: string }; status?: { phase: string; replicas: number } }
declare const widget: Widget
declare function runController(client: Client, signal: AbortSignal): Promise<void>
`

it('has what comments show', () => {
  const files = write(
    'commented',
    commentedExamples().map((example) => ({ ...example, text: example.text.replaceAll('…', '') })),
    KNOWN_IN_COMMENTS,
  )
  expect(files.length).toBeGreaterThan(5)
  compile(...files)
})

/** What each prints; all of them end by themselves. */
const PRINTED: Readonly<Record<string, string>> = {
  'admit.ts': 'denied: a config map needs an owner\nowner: ann\nkept by ann: blue\n',
  'define-json-schema.ts': 'pharos is 100 m high and shines white every 5s\n',
  'define-resource.ts': 'backups.example.com\n7\nhttps://backup.example.com\n',
  'apply-deployment.ts': '.spec.replicas: conflict with "installer"\n3 replicas\n',
  'elect-leader.ts': 'one leads\ntwo leads\n',
  'inject-faults.ts': 'visit 1 after 2 conflicts\n1 watch cut\nheard of it all the same\nno store\nvisit 3\n',
  'explore.ts': 'found, and found again: true\nwith names that follow from the orders, forty worlds are well\n',
  'fork-server.ts': 'paints it blue: blue\ndeletes it: gone\nthe server has red\n',
  'extension.ts': 'web: 3 replicas\nadmin may have 5 replicas\nguests see no secrets\n',
  'informer.ts': 'added key\nupdated key: 1 keys, now 2\n1 opaque\ndeleted key\n',
  'list-pods.ts': 'default/web runs nginx\n',
  'run-controller.ts': 'made the quota of blue\nmade the quota of blue\n',
  'virtual-time.ts': `${'2026-01-01T00:59:00.000Z: 1 events\n2026-01-01T01:00:00.000Z: 0 events\n'.repeat(2)}true\n`,
  'watch-config-maps.ts': 'ADDED settings red\nMODIFIED settings blue\nDELETED settings blue\n',
}

it('has all that the examples need', async () => {
  const all = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  cpSync(EXAMPLES, home, { recursive: true })
  compile(...all)
  const names = all.filter((name) => !name.endsWith('.test.ts') && path.dirname(name) === '.')
  await using server = await openServer()
  const kubeconfig = path.join(home, 'kubeconfig')
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(server)))
  const printedBy = async (name: string): Promise<readonly [name: string, printed: string]> => {
    const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: kubeconfig }
    const { stdout } = await execute(process.execPath, [name], { cwd: home, env, timeout: RUN_LIMIT_MS })
    return [name, stdout]
  }
  // The worlds of this one are not repeated exactly beside a dozen other programs on two cores.
  const alone = 'explore.ts'
  const printed = await Promise.all(names.filter((name) => name !== alone).map(printedBy))
  printed.push(await printedBy(alone))
  expect(Object.fromEntries(printed)).toEqual(PRINTED)
})

/** Test runners tell in colours where they think that somebody looks. */
const PLAIN = { NO_COLOR: '1', CI: '1' }
/** A busy machine takes longer than the 5 seconds that vitest and jest give to a test. */
const TEST_LIMIT = ['--testTimeout', '60000']

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--root', '.']
const NODE_TEST = ['--test', '--test-reporter', 'tap']
const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js']

/** All that a runner says of a file of tests, and how it ends. */
async function runTests(
  name: string,
  args: readonly string[],
): Promise<{ readonly said: string; readonly code: number }> {
  const env = { PATH: process.env['PATH'], HOME: home, ...PLAIN }
  const options = { cwd: home, env, timeout: RUN_LIMIT_MS }
  const ended = await execute(process.execPath, [...args, name], options).catch((error: unknown) => error as Failed)
  return { said: ended.stdout + ended.stderr, code: 'code' in ended ? (ended.code ?? 1) : 0 }
}

const TEST_FILES: Readonly<Record<string, readonly [args: readonly string[], summary: RegExp]>> = {
  'testing-vitest.test.ts': [[...VITEST, ...TEST_LIMIT], /Tests {2}3 passed \(3\)/],
  'operator/operator.test.ts': [[...VITEST, ...TEST_LIMIT], /Tests {2}34 passed \(34\)/],
  'testing-node.test.ts': [NODE_TEST, /^# pass 2\n# fail 0$/m],
  'testing-jest.test.js': [[...JEST, ...TEST_LIMIT], /Tests: +2 passed, 2 total/],
}
const ONE_A_RUNNER = ['testing-vitest.test.ts', 'testing-node.test.ts', 'testing-jest.test.js']

it.each(rowsOf(TEST_FILES, ONE_A_RUNNER))('has what the tests in %s need', async (name, [args, summary]) => {
  cpSync(EXAMPLES, home, { recursive: true })
  const { said, code } = await runTests(name, args)
  expect(said).toMatch(summary)
  expect(said).not.toContain('did not exit')
  expect(code).toBe(0)
})

const SLOW = '{ setup: () => new Promise((resolve) => setTimeout(resolve, 6000)) }'
const SLOW_TEST =
  "test('has a server', async ({ server }) => void (await server.client().request({ method: 'GET', path: '/version' })))\n"

const SLOW_STARTS: Readonly<Record<string, readonly [args: readonly string[], head: string]>> = {
  vitest: [
    VITEST,
    `import { beforeAll, test as base } from 'vitest'
    import { serverFixtures } from 'quarterdeck/testing'
    const test = base.extend(serverFixtures(${SLOW}, { beforeAll }))`,
  ],
  jest: [
    JEST,
    `import { afterAll, beforeAll, test as base } from '@jest/globals'
    import { serverTest } from 'quarterdeck/testing'
    const test = serverTest({ test: base, beforeAll, afterAll }, ${SLOW})`,
  ],
  'jest, by its global hook': [
    JEST,
    `import { afterAll, test as base } from '@jest/globals'
    import { serverTest } from 'quarterdeck/testing'
    const test = serverTest({ test: base, afterAll }, ${SLOW})`,
  ],
}

it.each(rowsOf(SLOW_STARTS, ['jest, by its global hook']))(
  'starts a server that takes longer than a test may with %s',
  async (runner, [args, head]) => {
    const name = `slow-${runner.replace(/\W+/g, '-')}.test.js`
    writeFileSync(path.join(home, name), `${head}\n${SLOW_TEST}`)
    const { said, code } = await runTests(name, args)
    expect(said).toMatch(/Tests:? +1 passed/)
    expect(code).toBe(0)
  },
)

const FAILING = `const body = ({ client }) => client.resource({ group: '', version: 'v1', plural: 'pods' }).get('none')
test('fails', body)
`

const FAILURES: Readonly<Record<string, readonly [head: string, args: readonly string[]]>> = {
  vitest: [
    `import { test as base } from 'vitest'
    import { serverFixtures } from 'quarterdeck/testing'
    const test = base.extend(serverFixtures())`,
    VITEST,
  ],
  'node:test': [
    `import { after, before, test as base } from 'node:test'
    import { serverTest } from 'quarterdeck/testing'
    const test = serverTest({ test: base, before, after })`,
    NODE_TEST,
  ],
  jest: [
    `import { afterAll, beforeAll, test as base } from '@jest/globals'
    import { serverTest } from 'quarterdeck/testing'
    const test = serverTest({ test: base, beforeAll, afterAll })`,
    JEST,
  ],
}

it.each(rowsOf(FAILURES, ['vitest', 'node:test']))(
  'prints the last requests of a test that fails with %s',
  async (runner, [head, args]) => {
    const name = `failing-${runner.replace(':', '-')}.test.js`
    writeFileSync(path.join(home, name), `${head}\n${FAILING}`)
    const { said, code } = await runTests(name, args)
    expect(code).toBe(1)
    expect(said).toMatch(
      /The last requests to the server:\n(# )? *404 +[\d.]+ ms {2}admin {2}get \/api\/v1\/pods\/none/,
    )
  },
)

const RUN_LIMIT_MS = 200_000

interface Failed {
  readonly code?: number
  readonly stdout: string
  readonly stderr: string
}

function kubeconfigOf({ url, authority, adminToken }: ServerAddress): object {
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(authority).toString('base64') }
  return {
    'current-context': 'here',
    clusters: [{ name: 'here', cluster }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'admin' } }],
    users: [{ name: 'admin', user: { token: adminToken } }],
  }
}

const DEFINING = ['define-resource.ts', 'define-json-schema.ts']

it.each(IS_WHOLE ? DEFINING : DEFINING.slice(0, 1))('writes what %s defines, which the server takes', (name) => {
  cpSync(path.join(EXAMPLES, name), path.join(home, name))
  writeFileSync(path.join(home, `${name}.yaml`), run('npx', '--offline', 'quarterdeck', 'define', name))
  expect(run('npx', '--offline', 'quarterdeck', 'check', `${name}.yaml`)).toBe('1 object: no errors\n')
})

it.each(['client.js', 'define.js', 'extensions.js'])('has %s, which does not load the server', (entry) => {
  const dist = path.join(home, 'node_modules/quarterdeck/dist')
  const loaded = new Set([entry])
  let bytes = 0
  // A set that grows while it is walked over is walked to its new end.
  for (const file of loaded) {
    const text = readFileSync(path.join(dist, file), 'utf8')
    bytes += text.length
    for (const [, name] of text.matchAll(/(?:from|import) "\.\/([^"]+)"/g)) loaded.add(name!)
  }
  expect([...loaded]).not.toContain('index.js')
  expect(bytes).toBeLessThan(120_000)
})
