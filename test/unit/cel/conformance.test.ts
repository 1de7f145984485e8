// The published conformance vectors of the language, as far as they are about plain values: no protobuf messages, no
// containers and no evaluation without type checks, which the API does not have.
import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js'
import type { Type as ProtoType } from '@bufbuild/cel-spec/cel/expr/checked_pb.js'
import {
  getConformanceSuite,
  type IncrementalTest,
  type IncrementalTestSuite,
} from '@bufbuild/cel-spec/testdata/tests.js'
import { describe, expect, it } from 'vitest'
import { compile, type Environment } from '../../../src/cel/cel.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../../../src/cel/type.ts'
import {
  ArrayList,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  EntryMap,
  keyName,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
} from '../../../src/cel/value.ts'

const LIMIT = 10_000_000

interface Row {
  readonly name: string
  readonly test: IncrementalTest
}

function rowsOf(suite: IncrementalTestSuite, path: string): readonly Row[] {
  const here = suite.tests.map((test) => ({ name: `${path}/${test.name}`, test }))
  return [...here, ...suite.suites.flatMap((inner) => rowsOf(inner, `${path}/${inner.name}`))]
}

/** Suites about messages, and about libraries that the API does not have or has in an earlier version (`format`). */
const FOREIGN_SUITES =
  /^\/(proto2|proto3|proto2_ext|wrappers|enums|block_ext|encoders_ext|network_ext|math_ext|dynamic|unknowns|string_ext\/format)\b/
const MESSAGES = /TestAllTypes|google\.(protobuf|api)|cel\.expr|protobuf\.|NestedTestAllTypes/

function isPlain({ name, test: { original } }: Row): boolean {
  if (FOREIGN_SUITES.test(name) || MESSAGES.test(original.expr) || original.container !== '') return false
  if (original.disableCheck || original.disableMacros) return false
  const texts = JSON.stringify([original.typeEnv, original.bindings, original.resultMatcher], (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return !/objectValue|messageType|"function"|wrapper|TestAllTypes|typedResult.*abstractType|enumValue/.test(texts)
}

function typeOfProto(type: ProtoType | undefined): Type {
  switch (type?.typeKind.case) {
    case 'primitive':
      return [DYN, BOOL, INT, UINT, DOUBLE, STRING, BYTES][type.typeKind.value] ?? DYN
    case 'wellKnown':
      return [DYN, DYN, TIMESTAMP, DURATION][type.typeKind.value] ?? DYN
    case 'null':
      return NULL
    case 'listType':
      return listOf(typeOfProto(type.typeKind.value.elemType))
    case 'mapType':
      return mapOf(typeOfProto(type.typeKind.value.keyType), typeOfProto(type.typeKind.value.valueType))
    default:
      return DYN
  }
}

function valueOfProto({ kind }: Value): CelValue {
  switch (kind.case) {
    case 'uint64Value':
      return new Uint(kind.value)
    case 'listValue':
      return new ArrayList(kind.value.values.map(valueOfProto))
    case 'mapValue': {
      const entries = kind.value.entries.flatMap(({ key, value }) => {
        const name = key === undefined ? undefined : keyName(valueOfProto(key))
        if (name === undefined || key === undefined || value === undefined) return []
        return [[name, [valueOfProto(key), valueOfProto(value)]] as const]
      })
      return new EntryMap(new Map(entries))
    }
    case 'typeValue':
      return new TypeValue(kind.value)
    case 'nullValue':
      return null
    case 'int64Value':
    case 'doubleValue':
    case 'stringValue':
    case 'boolValue':
    case 'bytesValue':
      return kind.value
    default:
      throw new Error(`not a plain value: ${kind.case}`)
  }
}

/** A text that tells apart all that the language tells apart, types of numbers included. */
function shown(value: CelValue): string {
  if (value instanceof CelList) return `[${[...value].map(shown).join(', ')}]`
  if (value instanceof CelMap) {
    const entries = [...value.keys()].map((key) => `${shown(key)}: ${shown(value.get(key) ?? null)}`)
    return `{${entries.sort().join(', ')}}`
  }
  if (value instanceof Uint) return `${value.value}u`
  if (value instanceof Timestamp || value instanceof Duration) return `${value.constructor.name} ${value.nanos}`
  if (value instanceof Optional) return value.value === undefined ? 'none' : `optional ${shown(value.value)}`
  if (value instanceof TypeValue) return `type ${value.name}`
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  if (typeof value === 'object') return value === null ? 'null' : value.constructor.name
  return Object.is(value, -0) ? 'number -0' : `${typeof value} ${value}`
}

function outcome({ original }: IncrementalTest): string {
  const variables = new Map(
    original.typeEnv.map((decl) => [
      decl.name,
      typeOfProto(decl.declKind.case === 'ident' ? decl.declKind.value.type : undefined),
    ]),
  )
  const environment: Environment = { variables, mixedLiterals: true, hasBind: true }
  const compiled = compile(original.expr, environment)
  if (compiled.kind === 'refused') return `error ${compiled.text}`
  if (original.checkOnly) return 'checked'
  const bindings = Object.fromEntries(
    Object.entries(original.bindings).map(([name, { kind }]) => [
      name,
      kind.case === 'value' ? valueOfProto(kind.value) : undefined,
    ]),
  )
  const result = compiled.program.evaluate(bindings as never, LIMIT)
  return result.kind === 'value'
    ? shown(result.value)
    : `error ${result.kind === 'error' ? result.message : result.kind}`
}

function expectedOf({ original: { resultMatcher } }: IncrementalTest): string {
  switch (resultMatcher.case) {
    case 'value':
      return shown(valueOfProto(resultMatcher.value))
    case 'typedResult':
      return resultMatcher.value.result === undefined ? 'anything' : shown(valueOfProto(resultMatcher.value.result))
    case 'evalError':
    case 'anyEvalErrors':
      return 'error'
    default:
      return 'boolean true'
  }
}

const plain = rowsOf(getConformanceSuite(), '').filter(isPlain)

describe('the conformance vectors of the language', () => {
  it('are many', () => {
    expect(plain.length).toBeGreaterThan(1000)
  })

  it.each(plain)('$name', ({ test }) => {
    const expected = expectedOf(test)
    const actual = outcome(test)
    if (expected === 'error') expect(actual).toMatch(/^error/)
    else if (expected === 'anything') expect(actual).not.toMatch(/^error/)
    else expect(actual).toBe(expected)
  })
})
