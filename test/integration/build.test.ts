// What `npm start` does before it starts: builds where the sources are newer than what was built, and fails where that fails.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../rigs/temp-folder.ts'

const PROJECT = path.join(import.meta.dirname, '../..')
const BUILDING = expect.stringMatching(
  /^building dist from src: 0 of 3 parts, 0 s\n(.+\n)*built dist from src, \d+\.\d s\n$/,
) as string

/** A clone with sources of the test's own. */
async function clone(): Promise<string> {
  const folder = await tempFolder()
  for (const file of [
    'package.json',
    '.config/package.json',
    '.config/build.js',
    '.config/build-console.js',
    '.config/progress.js',
  ])
    cpSync(path.join(PROJECT, file), path.join(folder, file))
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'))
  const programs = [
    'threads/write-thread',
    'client/client',
    'define/define',
    'library/testing/testing',
    'extensions/extensions',
    'extensions/process',
  ]
  for (const file of programs.map((name) => path.join(folder, `src/${name}.ts`))) {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, '')
  }
  writeFileSync(path.join(folder, 'src/index.ts'), 'export const answer: number = 42\n')
  mkdirSync(path.join(folder, 'src/console/web'), { recursive: true })
  writeFileSync(path.join(folder, 'src/console/web/index.html'), '<script type="module" src="./main.ts"></script>\n')
  writeFileSync(path.join(folder, 'src/console/web/main.ts'), 'document.title = "ready"\n')
  write(folder, 'first')
  return folder
}

function write(folder: string, word: string): void {
  writeFileSync(path.join(folder, 'src/quarterdeck.js'), `console.log(process.argv[2], '${word}')\n`)
}

function start(folder: string): { status: number | null; said: string; told: string } {
  const { status, stdout, stderr } = spawnSync('npm', ['start', '--silent'], { cwd: folder, encoding: 'utf8' })
  return { status, said: stdout, told: stderr }
}

it('builds at the first start and after a change, and only then', async () => {
  const folder = await clone()
  expect(start(folder)).toEqual({ status: 0, said: 'serve first\n', told: BUILDING })
  expect(start(folder)).toEqual({ status: 0, said: 'serve first\n', told: '' })
  write(folder, 'second')
  expect(start(folder)).toEqual({ status: 0, said: 'serve second\n', told: BUILDING })
  writeFileSync(path.join(folder, 'src/more.ts'), '')
  expect(start(folder).told).toEqual(BUILDING)
  rmSync(path.join(folder, 'src/more.ts'))
  expect(start(folder).told).toEqual(BUILDING)
})

it('leaves nothing of what was built before, and has every door, the console, the thread and the process of extensions', async () => {
  const folder = await clone()
  mkdirSync(path.join(folder, 'dist/console/assets'), { recursive: true })
  for (const old of ['chunk-OLD.js', 'console/assets/index-OLD.js.br'])
    writeFileSync(path.join(folder, 'dist', old), '')
  start(folder)
  expect(readdirSync(path.join(folder, 'dist/console')).sort()).toEqual(['assets', 'built-from', 'index.html.br'])
  expect(readdirSync(path.join(folder, 'dist/console/assets'))).toEqual([expect.stringMatching(/^index-.+\.js\.br$/)])
  expect(readdirSync(path.join(folder, 'dist')).sort()).toEqual([
    'client.js',
    'client.js.map',
    'console',
    'define.js',
    'define.js.map',
    'entry',
    'extension-process.js',
    'extension-process.js.map',
    'extensions.js',
    'extensions.js.map',
    'index.js',
    'index.js.map',
    'quarterdeck.js',
    'quarterdeck.js.map',
    'testing.js',
    'testing.js.map',
    'write-thread.js',
    'write-thread.js.map',
  ])
})

it('says what is wrong and does not start where it cannot be built', async () => {
  const folder = await clone()
  start(folder)
  writeFileSync(path.join(folder, 'src/quarterdeck.js'), `import './missing.ts'\n`)
  for (let again = 0; again < 2; again++) {
    const { status, said, told } = start(folder)
    expect([status, said]).toEqual([1, ''])
    expect(told).toContain('Could not resolve "./missing.ts"')
  }
})
