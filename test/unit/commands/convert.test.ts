import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../../src/commands/commands.ts'

let folder = ''
let complaints = ''

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'quarterdeck-convert-'))
  complaints = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    complaints += String(text)
    return true
  })
})

afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true, force: true })
})

async function file(name: string, text: string): Promise<string> {
  const place = path.join(folder, name)
  await writeFile(place, text)
  return place
}

const convert = (...args: string[]): Promise<number> => runCommand(['convert', ...args], {})
const CONFIG_MAP = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}'

describe('quarterdeck convert', () => {
  it('writes files of the same names, whichever names the types go by', async () => {
    const [a, b] = [await file('a.json', CONFIG_MAP), await file('b.json', CONFIG_MAP)]
    const out = path.join(folder, 'out')
    expect(await convert('--from', 'json', '--to', 'application/vnd.svc.protobuf', '--out', out, a, b)).toBe(0)
    expect(await readdir(out)).toEqual(['a.pb', 'b.pb'])
    expect(await convert('--from', 'pb', '--to', 'yaml', '--out', out, path.join(out, 'a.pb'))).toBe(0)
    expect(await readFile(path.join(out, 'a.yaml'), 'utf8')).toBe(
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n',
    )
    expect(complaints).toBe('')
  })

  it('says in a line what is wrong with a file, and goes on with the others', async () => {
    const [bad, good] = [await file('bad.json', '{'), await file('good.json', CONFIG_MAP)]
    const out = path.join(folder, 'out')
    expect(await convert('--from', 'json', '--to', 'cbor', '--out', out, bad, path.join(folder, 'none'), good)).toBe(1)
    expect(complaints).toBe(
      `quarterdeck convert: ${bad}: unexpected end of JSON input\n` +
        `quarterdeck convert: ${path.join(folder, 'none')}: cannot be read: it does not exist\n`,
    )
    expect(await readdir(out)).toEqual(['good.cbor'])
  })

  it('does not overwrite what it reads', async () => {
    const place = await file('a.json', CONFIG_MAP)
    expect(await convert('--from', 'json', '--to', 'json', '--out', folder, place)).toBe(1)
    expect(await readFile(place, 'utf8')).toBe(CONFIG_MAP)
  })

  it('does not overwrite what it reads by another name of the directory', async () => {
    const place = await file('a.json', CONFIG_MAP)
    await symlink(folder, path.join(folder, 'link'))
    const out = path.join(folder, 'link')
    expect(await convert('--from', 'json', '--to', 'json', '--overwrite', '--out', out, place)).toBe(1)
    expect(complaints).toContain('would be overwritten; use another --out')
    expect(await readFile(place, 'utf8')).toBe(CONFIG_MAP)
  })

  it.each([
    ['two files of one name', ['o.yaml', 'sub/o.json']],
    ['one file twice', ['o.yaml', 'o.yaml']],
    ['standard input and a file of its name', ['-', 'standard-input.json']],
  ])('writes nothing for %s, whose outputs would replace each other', async (_name, files) => {
    const places = files.map((name) => (name === '-' ? name : path.join(folder, name)))
    const out = path.join(folder, 'out')
    for (const overwrite of [[], ['--overwrite']])
      expect(await convert('--from', 'yaml', '--to', 'json', ...overwrite, '--out', out, ...places)).toBe(2)
    expect(complaints).toContain('have one target')
    expect(await readdir(folder)).toEqual([])
  })

  it.each([
    ['no types', ['x'], 'convert: --from is required'],
    ['an unknown type', ['--from', 'xml', '--to', 'json', 'x'], 'convert: --from "xml" is not one of'],
    [
      'a table to begin with',
      ['--from', 'table', '--to', 'json', 'x'],
      '--from table: a table cannot be converted back',
    ],
    ['an unknown flag', ['--form', 'json'], 'unknown flag --form; did you mean --from?'],
    [
      'several binary files for standard output',
      ['--from', 'json', '--to', 'cbor', 'x', 'y'],
      'several files in cbor cannot be written to standard output',
    ],
  ])('refuses %s', async (_name, args, complaint) => {
    expect(await convert(...args)).toBe(2)
    expect(complaints).toContain(complaint)
  })
})
