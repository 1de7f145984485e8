// Kinds of alpha and beta versions in every encoding, and converted to the version that is stored and back.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApiLevel } from '../../../src/api/level.ts'
import type { ApiObject, GroupVersionKind } from '../../../src/api/object.ts'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { parseCbor } from '../../../src/codec/cbor-decode.ts'
import { encodeCbor } from '../../../src/codec/cbor-encode.ts'
import { canonicalJson } from '../../../src/codec/json-encode.ts'
import { decodeProtobuf, decodeRaw, encodeProtobuf } from '../../../src/codec/protobuf.ts'
import { emitYaml } from '../../../src/codec/yaml-emit.ts'
import { parseYaml } from '../../../src/codec/yaml-parse.ts'
import { builtInResources } from '../../../src/kinds/kinds.ts'
import type { Resource } from '../../../src/registry/registry.ts'
import { allBuiltInGroups } from '../../../src/schema/built-in-resources.ts'
import { decodeObject } from '../../../src/schema/decode.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { KindSchema } from '../../../src/schema/table.ts'
import { arbitraryObject } from '../../corpora/arbitrary-object.ts'

/** What the reference has written of a kind: every field has a value. */
interface Golden extends GroupVersionKind {
  readonly level: ApiLevel
  readonly protobuf: string
  readonly object: ValueMap
}

const FILE = path.join(import.meta.dirname, '../../fixtures/golden-versions.json')
const GOLDEN = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Golden[]
const LEVELS = ['1.36', '1.37'] as const

function schemaOf({ level, group, version, kind }: Pick<Golden, 'level' | keyof GroupVersionKind>): KindSchema {
  const found = loadBuiltInSchema(level).kind({ group, version, kind })
  if (found === undefined) throw new Error(`no ${group}/${version} ${kind} at ${level}`)
  return found
}

function decoded(value: Value, { shape }: KindSchema): ValueMap {
  return decodeObject(value, shape).value
}

/** All resources of a level, those that are off by default among them. */
const RESOURCES = new Map(
  LEVELS.map((level): [ApiLevel, readonly Resource[]] => {
    const schema = loadBuiltInSchema(level)
    const table = builtInResources(schema, canonicalJson, { groups: allBuiltInGroups(level) })
    return [level, [...table.all()]]
  }),
)

const CONVERTED = LEVELS.flatMap((level) => {
  const off = allBuiltInGroups(level).flatMap(({ versions }) =>
    versions.flatMap(({ offByDefault, resources }) => (offByDefault === true ? resources : [])),
  )
  return (RESOURCES.get(level) ?? [])
    .filter(({ group, kind }) => off.some((one) => one.group === group && one.kind === kind))
    .map((resource) => ({ level, name: `${resource.group}/${resource.version} ${resource.kind}`, resource }))
})

/** These leave out fields that the stored version has, and cannot tell some invalid objects from valid ones. */
const LOSES_WORDS: ReadonlySet<string> = new Set([
  'v1 PodCertificateRequest',
  'v1beta1 ResourceClaim',
  'v1beta1 ResourceClaimTemplate',
  'v1beta1 ResourceSlice',
])

describe.each(GOLDEN)('$group/$version $kind of the reference at $level', (golden) => {
  const schema = schemaOf(golden)
  const { object } = golden

  it('is the same in protobuf, byte by byte', () => {
    expect(encodeProtobuf(schema, object).toString('base64')).toBe(golden.protobuf)
    const { raw } = decodeProtobuf(Buffer.from(golden.protobuf, 'base64'))
    expect(JSON.stringify(decodeRaw(schema, raw))).toBe(JSON.stringify(object))
  })

  it('comes back from JSON, YAML and CBOR with every field', () => {
    expect(JSON.stringify(decoded(JSON.parse(canonicalJson(object as never, schema)) as Value, schema))).toBe(
      JSON.stringify(object),
    )
    expect(decoded(parseYaml(Buffer.from(emitYaml(object))).value, schema)).toEqual(object)
    expect(decoded(parseCbor(encodeCbor(object, schema)), schema)).toEqual(object)
  })
})

describe('the golden objects', () => {
  it('are of every kind that can be switched on', () => {
    const given = new Set(GOLDEN.map(({ level, group, version, kind }) => `${level} ${group}/${version} ${kind}`))
    const isGiven = (level: ApiLevel, name: string): boolean =>
      // One that is the same at both levels is there once.
      given.has(`${level} ${name}`) || given.has(`1.37 ${name}`)
    const off = LEVELS.flatMap((level) =>
      allBuiltInGroups(level).flatMap(({ versions }) =>
        versions.flatMap(({ offByDefault, resources }) =>
          offByDefault === true
            ? resources.map(({ group, version, kind }) => ({ level, name: `${group}/${version} ${kind}` }))
            : [],
        ),
      ),
    )
    expect(off.filter(({ level, name }) => !isGiven(level, name))).toEqual([])
  })
})

describe.each(CONVERTED)('at $level, $name', ({ level, resource }) => {
  const { schema, conversion, storedKind } = resource
  const stored = schemaOf({ level, ...storedKind })

  it('is what it was when it comes back from the stored version', () => {
    fc.assert(
      fc.property(arbitraryObject(schema), (object) => {
        const there = conversion.toStored(object)
        expect(there.apiVersion).toBe(`${storedKind.group}/${storedKind.version}`)
        const back = conversion.fromStored(resource.toCanonical(there))
        // What a version has no word for is given a value the first time, and keeps it.
        const again = conversion.fromStored(resource.toCanonical(conversion.toStored(back)))
        expect(again).toEqual(back)
        expect(decoded(back as never, schema)).toEqual(back)
      }),
      { numRuns: 20 },
    )
  })

  it('says everything that the stored version can say', () => {
    if (LOSES_WORDS.has(`${resource.version} ${resource.kind}`)) return
    fc.assert(
      fc.property(arbitraryObject(stored), (object) => {
        const shown = conversion.fromStored(object)
        const names = { kind: shown.kind, apiVersion: shown.apiVersion }
        const read = { ...decoded(shown, schema), ...names } as ApiObject
        expect(resource.toCanonical(conversion.toStored(read))).toEqual(resource.toCanonical(object))
      }),
      { numRuns: 20 },
    )
  })
})
