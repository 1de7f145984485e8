import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nameSourceFiles } from '../../../src/lib/source-places.ts'

const before = Error.prepareStackTrace?.bind(Error)
let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-places-'))
  nameSourceFiles(pathToFileURL(`${folder}/dist/`).href)
})
afterEach(() => {
  Error.prepareStackTrace = before
  rmSync(folder, { recursive: true })
})

async function builtStack(): Promise<string> {
  const source = path.join(folder, 'fault.ts')
  writeFileSync(
    source,
    'interface Unneeded {\n  a: 1\n}\n\nexport function fault(): Error {\n  return new Error("of ours")\n}\n',
  )
  buildSync({ entryPoints: [source], outdir: path.join(folder, 'dist'), bundle: true, format: 'esm', sourcemap: true })
  const { fault } = (await import(pathToFileURL(path.join(folder, 'dist/fault.js')).href)) as { fault: () => Error }
  return fault().stack ?? ''
}

it('says where in the sources a fault came from', async () => {
  const stack = await builtStack()
  expect(stack.split('\n').slice(0, 2)).toEqual([
    'Error: of ours',
    `    at fault (${pathToFileURL(path.join(folder, 'fault.ts')).href}:6:10)`,
  ])
})

it('leaves alone what was not built, what has no map, and a trace without places', () => {
  expect(new Error('of this test').stack).toContain(`${import.meta.url}:`)
  const place = pathToFileURL(`${folder}/dist/gone.js`).href
  const site = { toString: () => `there (${place}:1:2)` } as NodeJS.CallSite
  expect(Error.prepareStackTrace?.(new Error('lost'), [site])).toBe(`Error: lost\n    at there (${place}:1:2)`)
  expect(Error.prepareStackTrace?.(new Error('lost'), [])).toBe('Error: lost')
})
