// The package as somebody has it who installs it: nothing of this repository but what is packed, and the packages that it names.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commentedExamples, documentedExamples, type Example, examplesIn } from '../fakes/documents.ts'
import { type InstalledPackage, installPackage, MODULES } from '../fakes/installed-package.ts'
import { openServer, type ServerAddress } from '../fakes/running-server.ts'
import manifest from '../../package.json' with { type: 'json' }

const execute = promisify(execFile)
const EXAMPLES = path.join(import.meta.dirname, '../examples')
const MOST_PACKED_BYTES = 5_000_000

const EXAMPLE = `import { startServer, type Server } from 'quarterdeck'

await using server: Server = await startServer({ users: [{ name: 'ann', groups: ['developers'] }] })
console.log(server.url)
console.log(server.kubeconfig('ann').users[0]?.name)
`

let installed: InstalledPackage
let home: string

function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd: home, encoding: 'utf8', env: { ...process.env, HOME: home } })
}

beforeAll(() => {
  installed = installPackage(['zod'])
  home = installed.home
  for (const name of ['@types', 'vitest']) symlinkSync(path.join(MODULES, name), path.join(home, 'node_modules', name))
})

afterAll(() => installed[Symbol.dispose]())

it('has what is built and nothing else, and is small', () => {
  const { files, size } = installed.packed
  const others = files
    .map((file) => file.path)
    .filter((file) => !/^dist\/(.+\.(js|js\.map|d\.ts)|console\/.+\.br)$/.test(file))
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'dist/console/built-from', 'package.json'])
  expect(size).toBeLessThan(MOST_PACKED_BYTES)
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
  run(path.join(MODULES, '.bin/tsc'), ...options, '--allowImportingTsExtensions', '--types', 'node', ...files)
}

it('has the library, with its types', () => {
  writeFileSync(path.join(home, 'example.ts'), EXAMPLE)
  compile('example.ts')
  expect(run(process.execPath, 'example.ts')).toMatch(/^https:\/\/127\.0\.0\.1:\d+\nann\n$/)
})

function write(prefix: string, examples: readonly Example[], before = ''): readonly string[] {
  return examples.map(({ text }, i) => {
    const name = `${prefix}-${i}.ts`
    writeFileSync(path.join(home, name), `${before}${text}\n`)
    return name
  })
}

it('has what the documents show, which runs', () => {
  const files = write(
    'documented',
    documentedExamples().filter(({ language }) => language === 'ts'),
  )
  expect(files).not.toEqual([])
  compile(...files)
  for (const file of files) run(process.execPath, file)
})

it('does not have what a document makes up', () => {
  const wrong = "Try:\n\n    import { startServer } from 'quarterdeck'\n    await startServer({ prot: 6443 })\n"
  expect(() => compile(...write('wrong', examplesIn('a.md', wrong)))).toThrow(
    expect.objectContaining({ stdout: expect.stringContaining("'prot' does not exist in type") as string }),
  )
})

/** What comments take for granted. */
const KNOWN_IN_COMMENTS = `import type { Server } from 'quarterdeck'
import { type Client, k8s } from 'quarterdeck/client'
import { applyYaml, eventually, serverFixtures, type ServerFixtures, serverTest, waitFor } from 'quarterdeck/testing'
import { expect } from 'vitest'
declare const server: Server
declare const client: Client
interface Widget { apiVersion: string; kind: string; metadata: { name: string }; status?: { phase: string; replicas: number } }
declare const widget: Widget
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
  'fork-server.ts': 'paints it blue: blue\ndeletes it: gone\nthe server has red\n',
  'extension.ts': 'web: 3 replicas\nadmin may have 5 replicas\nguests see no secrets\n',
  'informer.ts': 'added key\nupdated key: 1 keys, now 2\n1 opaque\ndeleted key\n',
  'list-pods.ts': 'default/web runs nginx\n',
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
  const printed = await Promise.all(
    names.map(async (name) => {
      const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: kubeconfig }
      const { stdout } = await execute(process.execPath, [name], { cwd: home, env, timeout: PROGRAM_LIMIT_MS })
      return [name, stdout] as const
    }),
  )
  expect(Object.fromEntries(printed)).toEqual(PRINTED)
})

/** Test runners tell in colours where they think that somebody looks. */
const PLAIN = { NO_COLOR: '1', CI: '1' }
/** A busy machine takes longer than the 5 seconds that vitest gives to a test. */
const VITEST = [path.join(MODULES, 'vitest/vitest.mjs'), 'run', '--root', '.', '--testTimeout', '60000']
const PROGRAM_LIMIT_MS = 200_000

it.each([
  ['testing-vitest.test.ts', VITEST, /Tests {2}3 passed \(3\)/],
  ['operator/operator.test.ts', VITEST, /Tests {2}34 passed \(34\)/],
  ['testing-node.test.ts', ['--test', '--test-reporter', 'tap'], /^# pass 2\n# fail 0$/m],
])('has what the tests in %s need', async (name, args, summary) => {
  const env = { PATH: process.env['PATH'], HOME: home, ...PLAIN }
  const { stdout } = await execute(process.execPath, [...args, name], { cwd: home, env, timeout: PROGRAM_LIMIT_MS })
  expect(stdout).toMatch(summary)
})

const FAILING = `const body = ({ client }) => client.resource({ group: '', version: 'v1', plural: 'pods' }).get('none')
test('fails', body)
`

it.each([
  [
    'vitest',
    `import { test as base } from 'vitest'
    import { serverFixtures } from 'quarterdeck/testing'
    const test = base.extend(serverFixtures())`,
    VITEST,
  ],
  [
    'node:test',
    `import { after, test as base } from 'node:test'
    import { serverTest } from 'quarterdeck/testing'
    const test = serverTest({ test: base, after })`,
    ['--test', '--test-reporter', 'tap'],
  ],
])('prints the last requests of a test that fails with %s', async (runner, head, args) => {
  const name = `failing-${runner.replace(':', '-')}.test.js`
  writeFileSync(path.join(home, name), `${head}\n${FAILING}`)
  const env = { PATH: process.env['PATH'], HOME: home, ...PLAIN }
  const failed = execute(process.execPath, [...args, name], { cwd: home, env, timeout: PROGRAM_LIMIT_MS })
  const { code, stdout, stderr } = await failed.then(
    (ended): Failed => ended,
    (error: unknown) => error as Failed,
  )
  expect(code).toBe(1)
  expect(stdout + stderr).toMatch(
    /The last requests to the server:\n(# )?404 +[\d.]+ ms {2}admin {2}get \/api\/v1\/pods\/none/,
  )
})

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

it.each(['define-resource.ts', 'define-json-schema.ts'])('writes what %s defines, which the server takes', (name) => {
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
