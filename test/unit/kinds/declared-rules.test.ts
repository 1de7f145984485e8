// A rule in `proto/` that no validation asks for would be a promise that nobody keeps.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { BUILT_IN } from '../../../src/schema/built-in-compiled.ts'
import type { CompiledField } from '../../../src/schema/table-compiled.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const CALL = /\b(fieldRules|immutableFields)\(\s*'([^']+)'((?:,\s*'[^']+')+)/g
const TYPES: ReadonlyMap<string, readonly CompiledField[]> = new Map(
  BUILT_IN.files.flatMap((file) => file.types.map((type) => [`${file.stem}.${type.name}`, type.fields] as const)),
)

/** The type and the field that a path from a type leads to, through parts, items and what is inlined. */
function fieldAt(type: string, [name = '', ...rest]: readonly string[]): string | undefined {
  for (const field of TYPES.get(type) ?? []) {
    const [own, , inner, marks = ''] = field
    const found = marks.includes('i') ? fieldAt(inner, [name, ...rest]) : undefined
    if (found !== undefined) return found
    if (own !== name.replace('[]', '')) continue
    return rest.length === 0 ? `${type}.${own}` : fieldAt(inner.replace('[]', ''), rest)
  }
  return undefined
}

/** What a source asks for: `fieldRules core_v1.Container.name`. */
function askedIn(source: string): readonly string[] {
  return [...source.matchAll(CALL)].flatMap(([, call = '', type = '', paths = '']) =>
    [...paths.matchAll(/'([^']+)'/g)].map(([, each = '']) => `${call} ${fieldAt(type, each.split('.')) ?? each}`),
  )
}

function promises(place: string, [name, , , , facts]: CompiledField): readonly string[] {
  const { immutable, ...others } = facts?.rules ?? {}
  return [
    ...(Object.keys(others).length > 0 ? [`fieldRules ${place}.${name}`] : []),
    ...(immutable === true ? [`immutableFields ${place}.${name}`] : []),
  ]
}

describe('the rules that proto declares', () => {
  it('are all asked for by the validation of a kind', () => {
    const sources = globSync('src/kinds/**/*.ts', { cwd: ROOT }).map((file) =>
      readFileSync(path.join(ROOT, file), 'utf8'),
    )
    const asked = new Set(sources.flatMap(askedIn))
    const promised = [...TYPES].flatMap(([type, fields]) => fields.flatMap((field) => promises(type, field)))
    expect(promised.length).toBeGreaterThan(0)
    expect(promised.filter((one) => !asked.has(one))).toEqual([])
  })

  it('are found in a source by type and path', () => {
    const source = `fieldRules('core_v1.PodSpec', 'nodeName', 'readinessGates[].conditionType')
      fieldRules(\n  'core_v1.ConfigMapVolumeSource',\n  'name',\n)`
    expect(askedIn(source)).toEqual([
      'fieldRules core_v1.PodSpec.nodeName',
      'fieldRules core_v1.PodReadinessGate.conditionType',
      'fieldRules core_v1.LocalObjectReference.name',
    ])
  })
})
