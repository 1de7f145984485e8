// What `proto/` declares and what the validations of the kinds ask for belong together: a rule that nobody asks for would be a
// promise that is not kept, and asking for one that is not there fails only when an object comes by.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { BUILT_IN_RULES } from '../../../src/schema/built-in-compiled.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
/** The name of a type, and those of fields where they follow; how a type is shown and what is dropped are other matters. */
const ASKED = /(?<!(?:formOf|gatedFields)\(\s*)'([a-z0-9.]+_v\d\w*\.[A-Z]\w+)'((?:,\s*'\w+')*)/g

/** A constant that names a type stands for it. */
function askedIn(text: string): readonly string[] {
  const names = [...text.matchAll(/\bconst (\w+) = ('[\w.]+_v\d\w*\.[A-Z]\w+')\n/g)]
  const source = names.reduce(
    (rest, [whole, name = '', type = '']) => rest.replace(whole, '').replaceAll(new RegExp(`\\b${name}\\b`, 'g'), type),
    text,
  )
  return [...source.matchAll(ASKED)].flatMap(([, type = '', names = '']) => {
    const ruled = (BUILT_IN_RULES[type] ?? []).map(({ name }) => name)
    const named = [...names.matchAll(/'([^']+)'/g)].map(([, name = '']) => name)
    const asked = named.length === 0 ? ruled : named
    return asked.map((name) => `${ruled.includes(name) ? '' : 'no '}${type}.${name}`)
  })
}

const ASKED_FOR = new Set(
  globSync('src/kinds/**/*.ts', { cwd: ROOT }).flatMap((file) => askedIn(readFileSync(path.join(ROOT, file), 'utf8'))),
)

describe('the rules that proto declares', () => {
  it('are all asked for by the validation of a kind', () => {
    const declared = Object.entries(BUILT_IN_RULES).flatMap(([type, rules]) =>
      rules.map(({ name }) => `${type}.${name}`),
    )
    expect(declared.length).toBeGreaterThan(200)
    expect(declared.filter((rule) => !ASKED_FOR.has(rule))).toEqual([])
  })

  it('are all that is asked for', () => {
    expect([...ASKED_FOR].filter((rule) => rule.startsWith('no '))).toEqual([])
  })

  it('are found in a source by the names of types and fields', () => {
    const source = `check.fields(spec, at, 'core_v1.PodSpec', 'nodeName', 'nmae')
      check.fields(
        source,
        at,
        'core_v1.LocalObjectReference',
        'name',
      )
      fieldsOf('core_v1.SecretReference')`
    expect(askedIn(source)).toEqual([
      'core_v1.PodSpec.nodeName',
      'no core_v1.PodSpec.nmae',
      'core_v1.LocalObjectReference.name',
      'core_v1.SecretReference.name',
      'core_v1.SecretReference.namespace',
    ])
  })
})
