import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ReloadRequests } from '../../../src/config/reload-requests.ts'
import { reloadFiles } from '../../../src/config/reloaded-files.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'

/** Looks at the files of a test; problems are what `look` throws. */
function following(
  files: readonly string[],
  everyMs: number,
  look: () => void,
  reloads = new ReloadRequests(),
): readonly string[] {
  const stop = new AbortController()
  const told: string[] = []
  const onProblem = (error: unknown): void => void told.push((error as Error).message)
  const ended = reloadFiles({ files, everyMs, reloads, look, onProblem }, stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await ended
  })
  return told
}

const NEVER = 3_600_000

describe('files that may change', () => {
  it('are looked at when one of them is written, though there are no looks in between', async () => {
    const folder = await tempFolder()
    let looks = 0
    following([path.join(folder, 'a'), path.join(folder, 'b')], NEVER, () => void looks++)
    writeFileSync(path.join(folder, 'b'), 'new')
    await expect.poll(() => looks).toBeGreaterThan(0)
  })

  it('are looked at every so often where their folder cannot be watched', async () => {
    const folder = path.join(await tempFolder(), 'gone')
    let looks = 0
    following([path.join(folder, 'a')], 1, () => void looks++)
    await expect.poll(() => looks).toBeGreaterThan(2)
  })

  it('go on being looked at when their folder goes away', async () => {
    const folder = path.join(await tempFolder(), 'sub')
    mkdirSync(folder)
    let looks = 0
    following([path.join(folder, 'a')], 1, () => void looks++)
    rmSync(folder, { recursive: true })
    const before = looks
    await expect.poll(() => looks).toBeGreaterThan(before + 2)
  })

  it('are looked at when somebody asks for it, and their problem is told once more', async () => {
    const reloads = new ReloadRequests()
    let looks = 0
    const fail = (): void => {
      looks++
      throw new Error('bad')
    }
    const told = following([], NEVER, fail, reloads)
    reloads.ask()
    await expect.poll(() => looks).toBe(1)
    reloads.ask()
    await expect.poll(() => looks).toBe(2)
    expect(told).toEqual(['bad', 'bad'])
  })

  it('are told of once for each problem, and again when it comes back', async () => {
    const problems = ['a', 'a', 'b', 'b', '', 'b', 'b']
    let looks = 0
    const told = following([], 1, () => {
      const problem = problems[looks++] ?? ''
      if (problem !== '') throw new Error(problem)
    })
    await expect.poll(() => looks).toBeGreaterThan(problems.length)
    expect(told).toEqual(['a', 'b', 'b'])
  })
})
