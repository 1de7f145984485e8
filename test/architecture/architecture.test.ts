// The plan held against the real tree. A violation's text says where and what; `rooms.ts` is the plan.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  checkComments,
  checkExports,
  checkLength,
  checkMentions,
  checkNames,
  checkState,
  checkTests,
  checkTime,
  checkTypedReads,
  checkUnpromised,
  missingFiles,
  needlessExceptions,
} from './form-rules.ts'
import {
  checkCycles,
  checkDoors,
  checkFolders,
  checkHouse,
  checkLayers,
  checkPackages,
  checkReached,
} from './layer-rules.ts'
import { LONG_FILES, ROOMS, UNRULED_FOLDERS } from './rooms.ts'
import { readSources, type SourceFile } from './source.ts'

const top = path.join(import.meta.dirname, '../..')

describe('the house', () => {
  const isRuled = ({ path }: SourceFile) => !path.split('/').some((part) => UNRULED_FOLDERS.includes(part))
  const all = readSources(top, 'src')
  const written = all.filter(isRuled)
  const tests = readSources(top, 'test').filter(isRuled)

  it('has sources to look at', () => {
    expect(written.map((file) => file.path)).toContain('src/main.ts')
    expect(tests.map((file) => file.path)).toContain('test/architecture/architecture.test.ts')
  })

  it('has few rooms, in an order', () => expect(checkHouse(all)).toEqual([]))
  it('is as src/README.md tells it', () => expect(roomsOfReadme()).toEqual(roomsOfPlan()))
  it('imports downwards only', () => expect(checkLayers(all)).toEqual([]))
  it('enters each room by its doors', () => expect(checkDoors(all)).toEqual([]))
  it('keeps folders apart that have nothing to do with each other', () => expect(checkFolders(all)).toEqual([]))
  it('keeps packages in their rooms', () => expect(checkPackages(all)).toEqual([]))
  it('has no cycles', () => expect(checkCycles(all)).toEqual([]))
  it('has no file that only tests need', () => expect(checkReached(all)).toEqual([]))
  it('has files of readable length', () => expect(checkLength(written)).toEqual([]))
  it('names files after what they are for', () => expect(checkNames([...written, ...tests])).toEqual([]))
  it('exports by name and has no barrels', () => expect(checkExports([...written, ...tests])).toEqual([]))
  it('keeps no state in modules', () => expect(checkState(written)).toEqual([]))
  it('relies on what nobody promises in one room only', () => expect(checkUnpromised(written)).toEqual([]))
  it('goes by the clock and the random source that it is given', () => expect(checkTime(written)).toEqual([]))
  it('reads the fields of kinds through their types', () => expect(checkTypedReads(written)).toEqual([]))
  it('says at the top of each file what it is for', () => expect(checkComments(written)).toEqual([]))
  it('names files that exist, in comments and in the documents about the sources', () => {
    const paths = globSync('{src,test,proto,deploy,.config}/**/*', { cwd: top }).concat(globSync('*', { cwd: top }))
    expect(
      checkMentions([...written, ...tests, ...readSources(top, 'deploy'), ...readSources(top, '.config')], paths),
    ).toEqual([])
    for (const document of ['src/README.md', 'test/README.md'])
      expect(missingFiles(readFileSync(path.join(top, document), 'utf8'), paths), document).toEqual([])
  })
  it('leaves no test out', () => expect(checkTests(tests.filter(({ path }) => path.endsWith('.test.ts')))).toEqual([]))

  it('lists no exception that is not there', () => {
    const paths = all.map((file) => file.path)
    expect(Object.keys(LONG_FILES).filter((file) => !paths.includes(file))).toEqual([])
    expect(needlessExceptions(written)).toEqual([])
  })
})

const EVERYTHING = 'all of the above'

/** What each room may import, by the table in the README. */
function roomsOfReadme(): readonly (readonly [string, string])[] {
  const text = readFileSync(path.join(top, 'src/README.md'), 'utf8')
  return Array.from(text.matchAll(/^\| `(\w+)` \| .* \| (.*) \|$/gm), ([, name = '', imports = '']) => [name, imports])
}

function roomsOfPlan(): readonly (readonly [string, string])[] {
  const names = Object.keys(ROOMS)
  return Object.entries(ROOMS).map(([name, { mayImport }], at) => {
    if (mayImport.length === at && names.indexOf('server') <= at) return [name, EVERYTHING]
    return [name, mayImport.length === 0 ? '–' : mayImport.join(' ')]
  })
}
