// The first run in a fresh clone: what the README says to type, with nothing installed. Packages come from npm's cache or its registry.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const PROJECT = path.join(import.meta.dirname, '../..')
let clone: string

beforeAll(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'quarterdeck-clone-'))
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: PROJECT })
  const archive = execFileSync('tar', ['--null', '--files-from=-', '--create'], {
    cwd: PROJECT,
    input: files,
    maxBuffer: 500_000_000,
  })
  execFileSync('tar', ['--extract'], { cwd: clone, input: archive })
})

afterAll(() => rmSync(clone, { recursive: true, force: true }))

/** Without the programs that came with the packages here. */
function outerPath(): string {
  return process.env['PATH']!.split(':')
    .filter((folder) => !folder.startsWith(PROJECT))
    .join(':')
}

/** Runs a command of the README until the server listens, and returns all that was said until it had stopped. */
async function startAndStop(command: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, PATH: outerPath() }
  // In a group of its own, to be stopped with all that it starts.
  const child = spawn(command, args, { cwd: clone, env, detached: true })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const closed = once(child, 'close')
  try {
    await expect.poll(() => said, { timeout: 280_000 }).toMatch(/is listening on|Error/)
  } finally {
    process.kill(-child.pid!, 'SIGTERM')
    await closed
  }
  return said
}

it('installs what running needs, tells how far it is, builds and serves', async () => {
  writeFileSync(path.join(clone, 'tokens.csv'), 'secret,ann,ann,"system:masters"\n')
  const flags = ['--in-memory', '--secure-port', '0', '--token-auth-file', 'tokens.csv']
  const said = await startAndStop('npm', 'start', '--', ...flags)
  expect(said).toMatch(/installing what running needs: \d+ packages/)
  expect(said).toMatch(/\d+ of \d+ packages are there/)
  expect(said).toContain(' - log in with: npm run quarterdeck -- console')
  expect(said).toContain('is listening on https://127.0.0.1:')
  expect(existsSync(path.join(clone, 'node_modules/vitest'))).toBe(false)
})

it('installs nothing the second time', async () => {
  const said = await startAndStop('make', 'run', 'ARGS=--in-memory --secure-port 0')
  expect(said).toContain('is listening on https://127.0.0.1:')
  expect(said).not.toContain('installing')
})

it('packs after a run, although that has not installed the compiler', () => {
  const env = { ...process.env, PATH: outerPath() }
  const told = execFileSync('npm', ['pack', '--json', '--silent'], { cwd: clone, env, encoding: 'utf8' })
  const [packed] = JSON.parse(told) as [{ readonly files: readonly { readonly path: string }[] }]
  const files = packed.files.map((file) => file.path)
  expect(files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/entry/index.cjs', 'dist/types/index.d.ts']))
}, 600_000)
