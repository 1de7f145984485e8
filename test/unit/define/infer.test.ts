// What the compiler makes of definitions: `make types` is what tests it. What does not compile stands in functions that nobody calls.
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import {
  defineResource,
  type InferInput,
  type InferResource,
  type InferSpec,
  type InferStatus,
  type JsonSchema,
  type ObjectMeta,
  type ResourceType,
} from '../../../src/define/define.ts'
import type { InputOf, OutputOf, Unstructural } from '../../../src/define/infer.ts'

const base = { group: 'example.com', kind: 'Widget', scope: 'Namespaced' } as const

const widget = defineResource({
  ...base,
  versions: {
    v1: {
      spec: z.object({ size: z.int().default(1), color: z.enum(['red', 'blue']).optional() }),
      status: z.object({ ready: z.boolean() }),
    },
  },
})

const gadget = defineResource({
  ...base,
  versions: {
    v1: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
    v2: {
      spec: {
        type: 'object',
        required: ['name', 'mode'],
        properties: {
          name: { type: 'string' },
          mode: { type: 'string', enum: ['fast', 'slow'], default: 'slow' },
          weight: { 'x-kubernetes-int-or-string': true },
          note: { type: ['string', 'null'] },
          count: { type: 'integer', nullable: true },
          tags: { type: 'array', items: { type: 'string', const: 'x' } },
          labels: { type: 'object', additionalProperties: { type: 'boolean' } },
          rest: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      storage: true,
    },
  },
})

describe('the types of a resource', () => {
  it('are those of its Zod schemas', () => {
    expectTypeOf<InferSpec<typeof widget>>().toEqualTypeOf<{ size: number; color?: 'red' | 'blue' | undefined }>()
    expectTypeOf<InferStatus<typeof widget>>().toEqualTypeOf<{ ready: boolean }>()
    expectTypeOf<InferResource<typeof widget>>().toEqualTypeOf<{
      apiVersion: 'example.com/v1'
      kind: 'Widget'
      metadata: ObjectMeta
      spec: { size: number; color?: 'red' | 'blue' | undefined }
      status?: { ready: boolean }
    }>()
    expectTypeOf<InferInput<typeof widget>['spec']>().toEqualTypeOf<{
      size?: number | undefined
      color?: 'red' | 'blue' | undefined
    }>()
  })

  it('are those of its JSON schemas, written in place', () => {
    type Spec = InferSpec<typeof gadget, 'v2'>
    expectTypeOf<Spec['name']>().toEqualTypeOf<string>()
    expectTypeOf<Spec['mode']>().toEqualTypeOf<'fast' | 'slow'>()
    expectTypeOf<Spec['weight']>().toEqualTypeOf<number | string | undefined>()
    expectTypeOf<Spec['note']>().toEqualTypeOf<string | null | undefined>()
    expectTypeOf<Spec['count']>().toEqualTypeOf<number | null | undefined>()
    expectTypeOf<Spec['tags']>().toEqualTypeOf<'x'[] | undefined>()
    expectTypeOf<Spec['labels']>().toEqualTypeOf<{ [key: string]: boolean } | undefined>()
    expectTypeOf<Spec['rest']>().toEqualTypeOf<{ [field: string]: unknown } | undefined>()
    expectTypeOf<InferInput<typeof gadget, 'v2'>['spec']['mode']>().toEqualTypeOf<'fast' | 'slow' | undefined>()
    expectTypeOf<InferStatus<typeof gadget, 'v2'>>().toBeNever()
  })

  it('are those of JSON schemas as const', () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'number' }, b: { type: 'boolean', default: true } },
    } as const satisfies JsonSchema
    expectTypeOf<OutputOf<typeof schema>>().toExtend<{ a: number; b: boolean }>()
    expectTypeOf<{ a: number }>().toExtend<InputOf<typeof schema>>()
    expectTypeOf<{ b: boolean }>().not.toExtend<InputOf<typeof schema>>()
  })

  it('are one of each version where none is named', () => {
    expectTypeOf<InferResource<typeof gadget>['apiVersion']>().toEqualTypeOf<'example.com/v1' | 'example.com/v2'>()
    expectTypeOf<InferResource<typeof gadget, 'v1'>['apiVersion']>().toEqualTypeOf<'example.com/v1'>()
  })

  it('go along to clients', () => {
    const take = <T>(_kind: { readonly plural?: string; readonly object?: T }): T | undefined => undefined
    expectTypeOf(widget.versions.v1).toExtend<ResourceType<unknown>>()
    expectTypeOf(take(widget.versions.v1)).toEqualTypeOf<InferResource<typeof widget> | undefined>()
  })

  it('let a spec be absent where its schema does', () => {
    const maybe = defineResource({
      ...base,
      versions: { v1: { spec: z.object({ a: z.int().default(1) }).prefault({}) } },
    })
    expectTypeOf<{ metadata: object }>().toExtend<InferInput<typeof maybe>>()
    expectTypeOf<{ apiVersion: 'v1'; metadata: object }>().not.toExtend<InferInput<typeof maybe>>()
    expectTypeOf<InferSpec<typeof maybe>>().toEqualTypeOf<{ a: number }>()
  })
})

const Tree = z.object({
  get children() {
    return z.array(Tree)
  },
})

describe('what the compiler sees to be not structural', () => {
  it('is a text that says where and what to write instead', () => {
    const tuple = z.object({ at: z.array(z.object({ pair: z.tuple([z.int(), z.int()]).optional() })) })
    expectTypeOf<
      Unstructural<typeof tuple, 'spec'>
    >().toEqualTypeOf<'spec.at[].pair: a tuple: use an object with named fields, or a list of one type'>()
    const map = z.record(z.string(), z.map(z.string(), z.string()))
    expectTypeOf<
      Unstructural<typeof map, 'spec'>
    >().toEqualTypeOf<'spec{}: a Map: use z.record(z.string(), …) or a list with list type map'>()
    const small = mini.object({ at: mini.date() })
    expectTypeOf<
      Unstructural<typeof small, 'spec'>
    >().toEqualTypeOf<'spec.at: a Date: JSON has none, use z.iso.datetime()'>()
  })

  it.each([
    [z.object({ a: z.union([z.string(), z.int()]), b: z.union([z.object({}), z.null()]), c: z.enum(['x']) })],
    [z.object({ a: z.string().nullable().default('x'), b: z.record(z.string(), z.unknown()), c: z.literal([1, 2]) })],
  ])('is not in what is structural', (schema) => {
    expectTypeOf<Unstructural<typeof schema, 'spec'>>().toBeNever()
    defineResource({ ...base, versions: { v1: { spec: schema, status: schema } } })
  })

  it('does not compile', () => {
    const spec = z.object({ a: z.int() })
    const one = { v1: { spec } }
    const two = { v1: { spec }, v2: { spec: z.object({ b: z.int() }) } }
    const union = z.object({ a: z.union([z.string(), z.boolean()]) })
    const transform = z.object({ a: z.string().transform(Number) })
    const numbered = z.object({ a: z.record(z.number(), z.string()) })
    const never = (): void => {
      // @ts-expect-error a union
      defineResource({ ...base, versions: { v1: { spec: union } } })
      // @ts-expect-error a transform
      defineResource({ ...base, versions: { v1: { spec, status: transform } } })
      // @ts-expect-error a record of numbers
      defineResource({ ...base, versions: { v1: { spec: numbered } } })
      // @ts-expect-error it contains itself
      defineResource({ ...base, versions: { v1: { spec: Tree } } })
      // @ts-expect-error a reference
      defineResource({ ...base, versions: { v1: { spec: { type: 'object', properties: { a: { $ref: '#/x' } } } } } })
      // @ts-expect-error a type that is none
      defineResource({ ...base, versions: { v1: { spec: { type: 'objekt' } } } })
      // @ts-expect-error a path that does not begin with a dot
      defineResource({ ...base, versions: { v1: { spec, selectableFields: ['spec.a'] } } })
      // @ts-expect-error no such version to convert to
      defineResource({ ...base, versions: one, convert: { 'v1 -> v2': () => ({ spec: { a: 1 } }) } })
      // @ts-expect-error what the version before has
      defineResource({ ...base, versions: two, convert: { 'v2 -> v1': (object) => object } })
    }
    expectTypeOf(never).toBeFunction()
  })
})
