// What `make check` leaves out must depend on nothing that has changed; one test a way to depend on something.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { digestsWithDependencies, PassedPrograms } from '../../.config/unchanged.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const FILES = {
  'src/lib/text.ts': 'export const text = 1',
  'src/lib/types.ts': 'export interface Text {}',
  'src/kv/store.ts': `import type { Text } from '../lib/types.ts'\nexport const program = './thread.ts'`,
  'src/kv/thread.ts': `import { store } from './store.ts'`,
  'src/kv/door.ts': `export type Size = number\nexport { store } from './store.ts'`,
  'src/http/server.ts': `const { store } = await import("../kv/door.ts")`,
  'test/unit/store.test.ts': `import { store } from '../../src/kv/store.ts'`,
  'test/unit/server.test.ts': `export * from '../../src/http/server.ts'`,
  'test/unit/text.test.ts': `import '../../src/lib/text.ts'\nimport { type Text } from '../../src/lib/types.ts'`,
  'test/unit/other.test.ts': `import { readFileSync } from 'node:fs'`,
  'test/fakes/around.ts': 'export const here = import.meta.dirname',
  'test/unit/around.test.ts': `import '../fakes/around.ts'`,
  'test/unit/program.test.ts': `import { execFile } from 'node:child_process'`,
  'test/unit/sources.test.ts': `readdirSync('src')`,
  'test/examples/example.ts': `import { Client } from 'quarterdeck/client'`,
  '.config/vitest.config.ts': `export const setupFiles = ['test/fakes/setup.ts']`,
  'test/fakes/setup.ts': `import { SEED } from './seed.ts'`,
  'test/fakes/seed.ts': 'export const SEED = 1',
  'proto/kinds.proto': 'message Pod {}',
  'package-lock.json': '{}',
  'README.md': '# Title',
  'node_modules/package/index.js': '',
  'dist/index.js': '',
}
type Name = keyof typeof FILES
const TESTS = Object.keys(FILES).filter((name) => name.endsWith('.test.ts'))
const [STORE, SERVER, TEXT, OTHER, ...LOOKING_AROUND] = TESTS as [string, string, string, string, ...string[]]

async function newProject(): Promise<string> {
  const project = await tempFolder()
  for (const [name, text] of Object.entries(FILES)) write(project, name, text)
  return project
}

function write(project: string, name: string, text: string): void {
  mkdirSync(path.dirname(path.join(project, name)), { recursive: true })
  writeFileSync(path.join(project, name), text)
}

function append(project: string, ...names: readonly Name[]): void {
  for (const name of names) write(project, name, `${FILES[name]}\n`)
}

describe('a change touches the tests that depend on it', () => {
  it.each<readonly [changed: Name, ofThoseRun: readonly string[], ofThoseRead: readonly string[]]>([
    ['src/lib/text.ts', [TEXT, ...LOOKING_AROUND], [TEXT]],
    ['src/lib/types.ts', [TEXT, ...LOOKING_AROUND], [STORE, SERVER, TEXT]],
    ['src/kv/thread.ts', [STORE, SERVER, ...LOOKING_AROUND], [STORE, SERVER]],
    ['src/kv/door.ts', [SERVER, ...LOOKING_AROUND], [SERVER]],
    ['test/unit/other.test.ts', [OTHER, ...LOOKING_AROUND], [OTHER]],
    ['test/fakes/around.ts', LOOKING_AROUND, ['test/unit/around.test.ts']],
    ['README.md', LOOKING_AROUND, []],
    ['proto/kinds.proto', TESTS, TESTS],
    ['package-lock.json', TESTS, TESTS],
    ['.config/vitest.config.ts', TESTS, TESTS],
    ['test/fakes/seed.ts', TESTS, TESTS],
    // The lock file and the sources say what that is.
    ['node_modules/package/index.js', [], []],
    ['dist/index.js', [], []],
  ])('of %s', async (name, ofThoseRun, ofThoseRead) => {
    for (const [use, touched] of [['run', ofThoseRun] as const, ['read', ofThoseRead] as const]) {
      const project = await newProject()
      const before = digestsWithDependencies(project, use)
      append(project, name)
      const after = digestsWithDependencies(project, use)
      expect(TESTS.filter((test) => before.get(test) !== after.get(test))).toEqual(touched)
    }
  })

  it('of a program that is imported by the name of the package', async () => {
    const project = await newProject()
    const before = digestsWithDependencies(project, 'read').get('test/examples/example.ts')
    append(project, 'src/lib/types.ts')
    expect(digestsWithDependencies(project, 'read').get('test/examples/example.ts')).not.toBe(before)
  })

  it('of the seed of what is made up, also where that is random', async () => {
    const project = await newProject()
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const digests = ['1', '7', 'random', 'random'].map((seed) => {
      vi.stubEnv('SEED', seed)
      vi.advanceTimersByTime(1)
      return digestsWithDependencies(project, 'run').get(TEXT)
    })
    expect(new Set(digests).size).toBe(4)
  })

  it('where a file is gone that it imported', async () => {
    const project = await newProject()
    const before = digestsWithDependencies(project, 'run')
    rmSync(path.join(project, 'src/lib/text.ts'))
    expect(digestsWithDependencies(project, 'run').get(TEXT)).not.toBe(before.get(TEXT))
  })
})

describe('what passed', () => {
  it('is left out the next time, until it or what it depends on changes', async () => {
    const project = await newProject()
    pass(project, TESTS)
    expect(changedTests(project)).toEqual([])
    append(project, 'src/http/server.ts')
    expect(changedTests(project)).toEqual([SERVER, ...LOOKING_AROUND])
    pass(project, TESTS)
    write(project, 'src/http/server.ts', FILES['src/http/server.ts'])
    expect(changedTests(project), 'as it was before').toEqual([])
  })

  it('is tried again once it failed, though it has not changed', async () => {
    const project = await newProject()
    pass(project, TESTS)
    const passed = new PassedPrograms(project, 'unit', 'run')
    passed.record(TEXT, false)
    passed.save()
    expect(changedTests(project)).toEqual([TEXT])
  })

  it('has passed only what it is recorded for', async () => {
    const project = await newProject()
    pass(project, TESTS)
    expect(new PassedPrograms(project, 'lint', 'read').changed()).toEqual(expect.arrayContaining(TESTS))
  })

  it('is forgotten where the record cannot be read', async () => {
    const project = await newProject()
    pass(project, TESTS)
    write(project, 'node_modules/.cache/passed/unit.json', '[["test/unit/')
    expect(changedTests(project)).toEqual(TESTS)
  })

  function pass(project: string, tests: readonly string[]): void {
    const passed = new PassedPrograms(project, 'unit', 'run')
    for (const test of tests) passed.record(test, true)
    passed.save()
  }

  function changedTests(project: string): string[] {
    const changed = new PassedPrograms(project, 'unit', 'run').changed()
    return TESTS.filter((name) => changed.includes(name))
  }
})
