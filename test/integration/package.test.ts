// The package as somebody has it who installs it: nothing of this repository but what is packed, and the packages that it names.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const PROJECT = path.join(import.meta.dirname, '../..')
const MODULES = path.join(PROJECT, 'node_modules')
const MOST_PACKED_BYTES = 5_000_000

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

const EXAMPLE = `import { startServer, type Server } from 'quarterdeck'

await using server: Server = await startServer({ users: [{ name: 'ann', groups: ['developers'] }] })
console.log(server.url)
console.log(server.kubeconfig('ann').users[0]?.name)
`

let packed: Packed
let home: string

function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd: home, encoding: 'utf8', env: { ...process.env, HOME: home } })
}

/** As in a project with types of its own. */
function checkTypes(file: string): void {
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'esnext']
  run(path.join(MODULES, '.bin/tsc'), ...options, '--types', 'node', file)
}

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'quarterdeck-package-'))
  const told = execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', home], { cwd: PROJECT })
  const [only] = JSON.parse(told.toString()) as [Packed]
  packed = only
  // The packages that it names are those that are here: nothing has to be fetched.
  const overrides = Object.fromEntries(
    Object.keys(manifest.dependencies).map((name) => [name, `file:${path.join(MODULES, name)}`]),
  )
  const dependencies = { quarterdeck: `file:${packed.filename}`, zod: `file:${path.join(MODULES, 'zod')}` }
  writeFileSync(path.join(home, 'package.json'), JSON.stringify({ type: 'module', dependencies, overrides }))
  run('npm', 'install', '--offline', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--silent')
  symlinkSync(path.join(MODULES, '@types'), path.join(home, 'node_modules/@types'))
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

it('has what is built and nothing else, and is small', () => {
  const others = packed.files.map((file) => file.path).filter((file) => !/^dist\/.+\.(js|js\.map|d\.ts)$/.test(file))
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json'])
  expect(packed.size).toBeLessThan(MOST_PACKED_BYTES)
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

it('has the library, with its types', () => {
  writeFileSync(path.join(home, 'example.ts'), EXAMPLE)
  checkTypes('example.ts')
  expect(run(process.execPath, 'example.ts')).toMatch(/^https:\/\/127\.0\.0\.1:\d+\nann\n$/)
})

it.each([
  ['define-resource.ts', 'backups.example.com\n7\nhttps://backup.example.com\n'],
  ['define-json-schema.ts', 'pharos is 100 m high and shines white every 5s\n'],
])('has what the example %s needs', (name, output) => {
  copyFileSync(path.join(PROJECT, 'test/examples', name), path.join(home, name))
  checkTypes(name)
  expect(run(process.execPath, name)).toBe(output)
  const yaml = run('npx', '--offline', 'quarterdeck', 'define', name)
  writeFileSync(path.join(home, `${name}.yaml`), yaml)
  expect(run('npx', '--offline', 'quarterdeck', 'check', `${name}.yaml`)).toBe('1 object: no errors\n')
})

it('loads nothing of the server with the definitions', () => {
  const dist = path.join(home, 'node_modules/quarterdeck/dist')
  const loaded = new Set(['define.js'])
  for (const file of loaded) {
    const text = readFileSync(path.join(dist, file), 'utf8')
    for (const [, name] of text.matchAll(/^(?:import|\}) ?(?:from )?"\.\/([^"]+)"/gm)) loaded.add(name!)
  }
  const sizes = [...loaded].map((file) => statSync(path.join(dist, file)).size)
  expect(sizes.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000)
})
