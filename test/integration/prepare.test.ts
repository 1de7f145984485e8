// What `make test` says where a machine lacks what the tests need.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { findGo } from '../rigs/go-toolchain.ts'
import { newHome } from '../rigs/server-process.ts'

/** A folder for PATH whose `go` says that it has the version. */
async function goOf(version: string): Promise<string> {
  const folder = path.join(await newHome(), 'bin')
  await mkdir(folder)
  await writeFile(path.join(folder, 'go'), `#!/bin/sh\necho ${version}\n`)
  await chmod(path.join(folder, 'go'), 0o755)
  return folder
}

async function prepareWith(programs: string): Promise<{ readonly code: number; readonly words: string }> {
  const env = { PATH: programs, XDG_CACHE_HOME: await newHome(), DOCKER_HOST: 'unix:///nowhere.sock' }
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '../prepare.ts')], { env })
  const [words, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number]>])
  return { code, words }
}

describe('the programs that tests need', () => {
  it.each([
    ['there is nothing', () => newHome()],
    ['there is only an old Go', () => goOf('go1.19.8')],
  ])('are told of once where %s, with what to install', async (_title, programs) => {
    const { code, words } = await prepareWith(await programs())
    expect(code).toBe(1)
    expect(words.match(/no Go 1\.26\. Install it/g)).toHaveLength(1)
    expect(words).toContain('on Debian: apt-get install python3-pip')
    expect(words).toContain('no Chromium. Install it (on Debian: apt-get install chromium)')
  })

  it.each(['go1.26.0', 'go1.27rc1', 'go2.0'])('may be a Go on PATH that is %s', async (version) => {
    const folder = await goOf(version)
    vi.stubEnv('PATH', folder)
    expect(await findGo().finally(() => vi.unstubAllEnvs())).toBe(path.join(folder, 'go'))
  })
})
