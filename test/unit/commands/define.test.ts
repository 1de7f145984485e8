import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runDefine } from '../../../src/commands/define.ts'

const DOOR = path.join(import.meta.dirname, '../../../src/define/define.ts')
const HEAD = `import { defineResource } from ${JSON.stringify(DOOR)}
interface Ignored { readonly types: 'are stripped' }
const of = (kind: string) => defineResource({ group: 'example.com', kind, scope: 'Cluster', versions: { v1: { spec: { type: 'object' } } } })
`

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-define-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function written(name: string, text: string): Promise<string> {
  const file = path.join(folder, name)
  await writeFile(file, text)
  return file
}

async function define(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', '']
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((stdout += String(text))))
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((stderr += String(text))))
  try {
    const code = await runDefine(args)
    return { code, stdout, stderr: stderr.replaceAll(`${folder}/`, '') }
  } finally {
    out.mockRestore()
    err.mockRestore()
  }
}

describe('quarterdeck define', () => {
  it('writes every definition once, in the order of their names', async () => {
    const file = await written(
      'a.ts',
      `${HEAD}export const b = of('Zoo'), a = of('Ant'), again = b, other = 'x', none = null`,
    )
    const { code, stdout } = await define(file)
    expect(code).toBe(0)
    expect(stdout.match(/^ {2}name: .*|^---$/gm)).toEqual([
      '  name: ants.example.com',
      '---',
      '  name: zoos.example.com',
    ])
    expect(stdout).toContain('apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n')
  })

  it('checks what is written', async () => {
    const file = await written('b.ts', `${HEAD}export const ant = of('Ant')`)
    const { stdout } = await define(file)
    expect(await define(file, '--check', await written('same.yaml', stdout))).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    const other = await written('other.yaml', stdout.replace('Cluster', 'Namespaced'))
    const line = stdout.split('\n').findIndex((text) => text.includes('Cluster')) + 1
    expect(await define(file, '--check', other)).toEqual({
      code: 1,
      stdout: '',
      stderr: `quarterdeck define: other.yaml:${line}: differs from b.ts; write it again: quarterdeck define b.ts\n`,
    })
    expect(await define(file, '--check', await written('more.yaml', `${stdout}---\n`))).toMatchObject({ code: 1 })
  })

  it.each([
    ['c.ts', 'export const a = 1', 'c.ts: exports nothing that defineResource() made'],
    [
      'thrown.ts',
      'export const a = { definition: { kind: "CustomResourceDefinition", metadata: { name: "a" } }, yaml() { throw new Error("no text") } }',
      'thrown.ts: no text',
    ],
    [
      'd.ts',
      `${HEAD}export const a = defineResource({ group: 'g', kind: 'A', scope: 'Cluster', versions: {} })`,
      'd.ts: A.g cannot be defined\n  versions: objects are stored as one of them',
    ],
    ['e.ts', `import 'nowhere'`, `e.ts: Cannot find package 'nowhere'`],
  ])('says why there is nothing in %s', async (name, text, reason) => {
    const { code, stderr } = await define(await written(name, text))
    expect(code).toBe(1)
    expect(stderr).toContain(`quarterdeck define: ${reason}`)
  })

  it.each([
    [[], 'name the one file that exports the definitions'],
    [['a.ts', 'b.ts'], 'name the one file that exports the definitions'],
    [['--out', 'x'], 'unknown flag --out; see quarterdeck define --help'],
  ])('refuses %j', async (args, message) => {
    await expect(define(...args)).rejects.toThrow(message)
  })

  it('refuses a file to check that is not there', async () => {
    const file = await written('f.ts', `${HEAD}export const ant = of('Ant')`)
    await expect(define(file, '--check', path.join(folder, 'none.yaml'))).rejects.toThrow('cannot read')
  })
})
