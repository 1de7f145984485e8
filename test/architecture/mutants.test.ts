import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { EQUIVALENT, isSame } from '../mutation/equivalent-mutants.ts'
import { changesOf, mutantsOf, mutatedText } from '../mutation/mutants.ts'

const mutated = (text: string): readonly string[] => mutantsOf('a.ts', text).map((mutant) => mutatedText(mutant, text))

it.each<[string, string, readonly string[]]>([
  ['a comparison', 'x = a < b', ['x = ((a) <= (b))']],
  ['an equality, once where it is a test', 'if (a === b) c = 1', ['if (((a) !== (b))) c = 1']],
  ['a condition', 'if (a) b = 1', ['if (!(a)) b = 1']],
  ['a choice', 'x = a ? b : c', ['x = !(a) ? b : c']],
  ['a negation', 'x = !a', ['x = a']],
  ['a flag', 'x = true', ['x = false']],
  ['a call that is made for what it does', 'log(a)', [';']],
  ['operators side by side', 'x = (a && b) ?? c', ['x = (((a && b)) && (c))', 'x = (((a) || (b))) ?? c']],
  ['what runs inside of what is for the compiler', 'x = (a || b) as true', ['x = (((a) && (b))) as true']],
  ['nothing in types', 'let x: true | undefined', []],
])('a mutant is made of %s', (_name, text, all) => {
  expect(mutated(text)).toEqual(all)
})

it.each(EQUIVALENT)('$file still has the line that a mutant changes nothing in: $line', (equivalent) => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../..', equivalent.file), 'utf8')
  expect(changesOf(equivalent.file, text).filter((mutant) => isSame(equivalent, mutant, text))).toHaveLength(1)
})
