// The command on a Node that is too old: it becomes the one that came with the packages, or says in one line which it needs.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { transformSync } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { COMMAND } from '../rigs/command.ts'
import { newHome } from '../rigs/server-process.ts'

/** What is read before anything runs. */
const FIRST_READ = [
  COMMAND,
  ...importedBy(COMMAND).flatMap(({ from }) => (from.startsWith('./') ? join(dirname(COMMAND), from) : [])),
]
const WITHOUT_EXECVE = ['--import', 'data:text/javascript,delete process.execve']

/** Whoever starts a program has the processor again when that has long begun. */
const SLOW_SPAWN = `
  import processes from 'node:child_process'
  import { syncBuiltinESMExports } from 'node:module'
  const { spawn } = processes
  processes.spawn = (...args) => {
    const child = spawn(...args)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)
    return child
  }
  syncBuiltinESMExports()`
const WITH_SLOW_SPAWN = ['--import', `data:text/javascript,${encodeURIComponent(SLOW_SPAWN)}`]

/** An installation that needs a Node which nobody has yet, with a program of the test's in the place of the one that came with it. */
async function install(program?: string): Promise<string> {
  const folder = await newHome()
  for (const file of FIRST_READ) cpSync(file, join(folder, 'dist', basename(file)))
  writeFileSync(join(folder, 'package.json'), '{"type":"module","engines":{"node":">=99.1.0"}}')
  if (program !== undefined) {
    const place = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin`)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'node'), program)
    chmodSync(join(place, 'node'), 0o755)
  }
  return folder
}

function importedBy(file: string): { names: string; from: string }[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^import (?:\{([^}]*)\} from )?"([^"]+)";$/gm)].map(([, names = '', from = '']) => ({
    names,
    from,
  }))
}

function oldNodesOnPath(): string[] {
  const found = new Set<string>()
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, 'node')
    if (existsSync(file) && realpathSync(file) !== process.execPath) found.add(realpathSync(file))
  }
  return [...found].filter((file) => {
    const version = spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout
    return Number(/^v(\d+)/.exec(version)?.[1] ?? Number.NaN) < 24
  })
}

describe('the files that are read first', () => {
  it.each(FIRST_READ)('%s has nothing that Node 12 cannot read', (file) => {
    const text = readFileSync(file, 'utf8')
    const written = (target: string): string => transformSync(text, { target, format: 'esm' }).code
    expect(written('node12.20')).toBe(written('esnext'))
    // What an old Node does not export is an error before the first line runs.
    for (const { from } of importedBy(file))
      expect([...FIRST_READ.map((each) => `./${basename(each)}`), 'node:child_process', 'node:module']).toContain(from)
  })
})

describe('a Node that is too old', () => {
  it('says which it needs where no other came with the packages', async () => {
    const folder = await install()
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/quarterdeck.js', 'serve'], {
      cwd: folder,
      encoding: 'utf8',
    })
    const line = `quarterdeck: this is Node ${process.versions.node}, and Node 99.1.0 or newer is needed\n`
    expect([status, stdout, stderr]).toEqual([1, '', line])
  })

  it('says so where the other one cannot be run', async () => {
    const folder = await install('#!/nowhere/at/all\n')
    const args = [...WITHOUT_EXECVE, 'dist/quarterdeck.js', 'version']
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^quarterdeck: this is Node .* is needed\n$/)])
  })

  it.each([
    ['by becoming it', []],
    ['by starting it, as those do that cannot', WITHOUT_EXECVE],
  ])('runs the one that came with the packages: %s', async (_, flags) => {
    const folder = await install('#!/bin/sh\necho "ran $*"\nexit 7\n')
    const args = [...flags, join(folder, 'dist/quarterdeck.js'), 'serve', '--x', 'y z']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    expect([status, stdout, stderr]).toEqual([7, `ran ${args.join(' ')}\n`, ''])
  })

  it.each([
    ['', WITHOUT_EXECVE],
    [', however early', [...WITHOUT_EXECVE, ...WITH_SLOW_SPAWN]],
  ])('passes on to it what asks it to stop, once%s', async (_, flags) => {
    const program = '#!/bin/sh\ntrap "echo stopping; exit 0" TERM\necho ready\nwhile :; do sleep 0.05; done\n'
    const folder = await install(program)
    const args = [...flags, 'dist/quarterdeck.js', 'serve']
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await expect.poll(() => said).toBe('ready\n')
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number | null]
    expect([code, said]).toEqual([0, 'ready\nstopping\n'])
  })

  it('does so whichever old one is on this machine', () => {
    for (const node of oldNodesOnPath()) {
      const { status, stdout, stderr } = spawnSync(node, [COMMAND, 'version'], {
        encoding: 'utf8',
      })
      expect([status, stdout, stderr]).toEqual([0, expect.stringMatching(/^quarterdeck \S+, API level v1\.\d+/), ''])
    }
  })
})
