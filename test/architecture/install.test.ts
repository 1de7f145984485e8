// The installation that every make command begins with, in a project of its own, with a program in the place of npm.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { tempFolder } from '../rigs/temp-folder.ts'

const PROJECT = path.join(import.meta.dirname, '../..')

/** Installs a package, waits for ever if it is told to, and then writes what npm writes last. */
const NPM = `#!/bin/sh
echo installed >>calls
rm -rf node_modules
mkdir -p node_modules/vitest
if [ -e wait ]; then echo half-way; exec sleep 600; fi
mkdir -p node_modules/.bin
printf '#!/bin/sh\\n' >node_modules/.bin/tsc
chmod +x node_modules/.bin/tsc
cp package-lock.json node_modules/.package-lock.json
`

async function newProject(): Promise<string> {
  const folder = await tempFolder()
  await mkdir(path.join(folder, 'bin'))
  await cp(path.join(PROJECT, 'Makefile'), path.join(folder, 'Makefile'))
  for (const file of ['.config/install.js', '.config/progress.js'])
    await cp(path.join(PROJECT, file), path.join(folder, file))
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  await lock(folder, '1.0.0')
  await writeFile(path.join(folder, 'bin/npm'), NPM)
  await chmod(path.join(folder, 'bin/npm'), 0o755)
  return folder
}

async function lock(folder: string, version: string): Promise<void> {
  const packages = { '': {}, 'node_modules/vitest': { version, integrity: version, dev: true } }
  await writeFile(path.join(folder, 'package-lock.json'), JSON.stringify({ packages }))
}

function environment(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}`, MAKEFLAGS: '' }
}

async function make(folder: string): Promise<number> {
  await promisify(execFile)('make', ['types'], { cwd: folder, env: environment(folder) })
  return (await readFile(path.join(folder, 'calls'), 'utf8')).split('\n').length - 1
}

it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'after %s in an installation, the next make installs again',
  async (signal) => {
    const folder = await newProject()
    await writeFile(path.join(folder, 'wait'), '')
    const stdio = ['ignore', 'ignore', 'pipe'] as const
    const first = spawn('make', ['types'], { cwd: folder, env: environment(folder), stdio: [...stdio], detached: true })
    let said = ''
    first.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const closed = once(first, 'close')
    await expect.poll(() => said).toContain('half-way')
    process.kill(-first.pid!, signal)
    await closed
    await rm(path.join(folder, 'wait'))
    expect(await make(folder)).toBe(2)
  },
)

it('make installs once, and again only for other packages', async () => {
  const folder = await newProject()
  expect(await make(folder)).toBe(1)
  expect(await make(folder)).toBe(1)
  const later = new Date(Date.now() + 60_000)
  await utimes(path.join(folder, 'package-lock.json'), later, later)
  expect(await make(folder)).toBe(1)
  await lock(folder, '2.0.0')
  await utimes(path.join(folder, 'package-lock.json'), later, later)
  expect(await make(folder)).toBe(2)
})
