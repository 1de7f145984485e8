// The fixtures with jest, which loads every module in a context of its own. It is installed beside the package, from npm's cache or its
// registry: nothing else here needs it.
import { execFile } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../fakes/installed-package.ts'

const EXAMPLE = 'testing-jest.test.js'
const JEST = { jest: '30.5.2' }
/** For a test, on a busy machine; the server of the file is started by the first. */
const PATIENCE_MS = 60_000

let installed: InstalledPackage

beforeAll(() => {
  installed = installPackage([], JEST)
})

afterAll(() => installed[Symbol.dispose]())

interface Ended {
  readonly code?: number
  readonly stdout: string
  readonly stderr: string
}

/** What it says, and the code that it ends with where that is a failure. */
async function jest(name: string): Promise<{ readonly said: string; readonly code: number | undefined }> {
  const { home } = installed
  const env = { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1', CI: '1' }
  const program = path.join(home, 'node_modules/jest/bin/jest.js')
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    program,
    `--testTimeout=${PATIENCE_MS}`,
    name,
  ]
  const limits = { cwd: home, env, timeout: 240_000 }
  const ended: Ended = await promisify(execFile)(process.execPath, args, limits).catch(
    (error: unknown) => error as Ended,
  )
  return { said: ended.stdout + ended.stderr, code: ended.code }
}

it('runs the example: a server for the file, a fork for each test, and nothing is left open', async () => {
  cpSync(path.join(import.meta.dirname, '../examples', EXAMPLE), path.join(installed.home, EXAMPLE))
  const { code, said } = await jest(EXAMPLE)
  expect(said).toMatch(/Tests: +2 passed, 2 total/)
  expect(said).not.toContain('did not exit')
  expect(code).toBeUndefined()
})

const FAILING = `import { afterAll, test as base } from '@jest/globals'
import { serverTest } from 'quarterdeck/testing'
const test = serverTest({ test: base, afterAll })
const pods = ({ client }) => client.resource({ group: '', version: 'v1', plural: 'pods' })
test('passes', async (fixtures) => void (await pods(fixtures).list()))
test('fails', (fixtures) => pods(fixtures).get('none'))
`

it('prints the last requests of a test that fails, and of no other', async () => {
  writeFileSync(path.join(installed.home, 'failing.test.js'), FAILING)
  const { code, said } = await jest('failing.test.js')
  expect(code).toBe(1)
  expect(said).toMatch(/Tests: +1 failed, 1 passed, 2 total/)
  expect(said).toMatch(/The last requests to the server:\n +404 +[\d.]+ ms {2}admin {2}get \/api\/v1\/pods\/none/)
  expect(said).not.toMatch(/admin {2}list/)
})
