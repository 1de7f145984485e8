// What a Zod schema makes of a value and what the server makes of it, by the definition that the schema gave: the same is refused,
// and what is accepted has the same defaults and the same fields.
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { defineResource, type CustomResourceDefinition } from '../../src/define/define.ts'
import { DEFINITIONS } from '../corpora/defined-kinds.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'
import { SEED } from '../rigs/seed.ts'
import { IS_WHOLE } from '../rigs/whole.ts'

const SCHEMAS = IS_WHOLE ? 25 : 10
const VALUES = 30

/** A schema, and values that are mostly nearly right for it. */
interface Case {
  readonly schema: z.ZodType
  readonly value: fc.Arbitrary<unknown>
}

const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'Z', '0', '9', '-', '.', ':', '/', ' ', 'é', '\n'),
  maxLength: 8,
})
const number = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.integer(), fc.double({ min: 1e-9, max: 5, noNaN: true }))
/** What has a schema's type by chance only. No list: the API takes one for a text with a format. */
const anything = fc.oneof(text, number, fc.boolean(), fc.constant({}))

function nearly(right: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const changed = fc
    .tuple(right, fc.nat(40), fc.constantFrom('', '0', 'a', 'Z', '.', ':', '-', '/', ' ', '@'))
    .map(([whole, at, letter]) => whole.slice(0, at) + letter + whole.slice(at + 1))
  return fc.oneof(right, changed, text)
}

const instant = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T00:00:00Z'),
  noInvalidDate: true,
})
const prefix = (address: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(address, fc.nat(140)).map(([ip, length]) => `${ip}/${length}`)

const SCALARS: readonly Case[] = [
  { schema: z.string(), value: text },
  { schema: z.string().min(2).max(4), value: text },
  { schema: z.string().regex(/^[a-z]+(-[a-z0-9]+)*$/), value: nearly(fc.constantFrom('a', 'ab-0', 'z-a-9')) },
  { schema: z.string().regex(/^A[\u00e0-\u00ff]?$/i), value: nearly(fc.constantFrom('a', 'aé', 'AÉ')) },
  { schema: z.string().startsWith('a.').endsWith('b'), value: nearly(fc.constantFrom('a.b', 'a.-b', 'a.\nb')) },
  { schema: z.string().includes('/'), value: text },
  { schema: z.string().lowercase(), value: text },
  { schema: z.enum(['a', 'b', '']), value: text },
  { schema: z.literal([1, 5, -3]), value: number },
  { schema: z.union([z.literal('a'), z.literal('0')]), value: text },
  { schema: z.templateLiteral(['v', z.int(), z.enum(['', 'beta'])]), value: nearly(fc.constantFrom('v1', 'v1beta')) },
  { schema: z.uuid(), value: nearly(fc.uuid()) },
  { schema: z.ipv4(), value: nearly(fc.ipV4()) },
  { schema: z.ipv6(), value: nearly(fc.ipV6()) },
  { schema: z.cidrv4(), value: nearly(prefix(fc.ipV4())) },
  { schema: z.cidrv6(), value: nearly(prefix(fc.ipV6())) },
  { schema: z.base64(), value: nearly(fc.base64String()) },
  { schema: z.mac(), value: nearly(fc.constantFrom('00:1a:2B:3c:4d:5E', '00:1A:2B:3C:4D:5E')) },
  // Of these two the API has an idea of its own, which is a little narrower.
  { schema: z.hostname(), value: fc.domain() },
  { schema: z.url(), value: fc.webUrl() },
  { schema: z.email(), value: nearly(fc.constantFrom('a@b.de', "o'b+c.d-e_f@g-h.i.jk", 'a.b@c.d')) },
  { schema: z.iso.date(), value: nearly(instant.map((date) => date.toISOString().slice(0, 10))) },
  { schema: z.iso.datetime(), value: nearly(instant.map((date) => date.toISOString())) },
  {
    schema: z.iso.datetime({ offset: true }),
    value: nearly(fc.constantFrom('2020-02-29T10:00:00+02:00', '2020-01-01T00:00:00Z')),
  },
  { schema: z.iso.time(), value: nearly(fc.constantFrom('10:00', '10:00:59', '23:59:59.999')) },
  { schema: z.e164(), value: nearly(fc.constant('+491701234567')) },
  { schema: z.boolean(), value: fc.boolean() },
  { schema: z.number(), value: number },
  { schema: z.number().gt(-2).lte(2), value: number },
  { schema: z.int(), value: number },
  { schema: z.int().multipleOf(3).nonnegative(), value: number },
  { schema: z.int32(), value: fc.oneof(number, fc.constantFrom(2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1)) },
  { schema: z.uint32(), value: fc.oneof(number, fc.constantFrom(2 ** 32 - 1, 2 ** 32)) },
  { schema: z.union([z.int(), z.string()]), value: fc.oneof(number, text) },
  { schema: z.unknown(), value: fc.oneof(anything, fc.constant(null)) },
]

const field = fc.constantFrom('a', 'b', 'c', 'd')

const cases = fc.letrec<{ any: Case; object: Case }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    { weight: 6, arbitrary: fc.constantFrom(...SCALARS) },
    { weight: 1, arbitrary: tie('any').map(nullable) },
    { weight: 1, arbitrary: tie('any').map(list) },
    { weight: 1, arbitrary: tie('any').map(map) },
    { weight: 2, arbitrary: tie('object') },
  ),
  object: fc.dictionary(field, fc.tuple(tie('any'), fc.nat(3)), { minKeys: 1, noNullPrototype: true }).map(object),
}))

function nullable({ schema, value }: Case): Case {
  return { schema: schema.nullable(), value: fc.oneof(value, value, fc.constant(null)) }
}

function list({ schema, value }: Case): Case {
  return { schema: z.array(schema).min(1).max(3), value: fc.array(wrongAtTimes({ schema, value }), { maxLength: 4 }) }
}

function map({ schema, value }: Case): Case {
  const values = fc.dictionary(field, wrongAtTimes({ schema, value }), { noNullPrototype: true })
  return { schema: z.record(z.string(), schema), value: values }
}

/** Right ones as they were found by trying, nearly right ones, and at times something else. */
function wrongAtTimes({ schema, value }: Case): fc.Arbitrary<unknown> {
  const right = fc.sample(value, { seed: SEED, numRuns: 40 }).filter((one) => schema.safeParse(one).success)
  return fc.oneof(
    { weight: right.length === 0 ? 0 : 24, arbitrary: fc.constantFrom(...(right.length === 0 ? [null] : right)) },
    { weight: 3, arbitrary: value },
    { weight: 1, arbitrary: anything },
  )
}

/** The number of a field says whether it is required, optional, or has a default where there is a value to take for it. */
function object(fields: Record<string, readonly [Case, number]>): Case {
  const shape: Record<string, z.ZodType> = {}
  const values: Record<string, fc.Arbitrary<unknown>> = { unknown: anything }
  for (const [name, [{ schema, value }, kind]] of Object.entries(fields)) {
    const right = fc.sample(value, { seed: SEED, numRuns: 20 }).map((one) => schema.safeParse(one))
    const parsed = right.find(({ success, data }) => success && data !== null)
    const isDefaulted = kind === 2 && parsed !== undefined
    shape[name] = isDefaulted ? schema.default(parsed.data) : kind === 1 ? schema.optional() : schema
    // The server takes null for absent where there is a default, whatever else the schema says.
    values[name] = wrongAtTimes({ schema, value }).filter((one) => !isDefaulted || one !== null)
  }
  const required = Object.keys(shape).filter((name) => !shape[name]!.safeParse(undefined).success)
  const whole = fc.record(values, { requiredKeys: required, noNullPrototype: true })
  const partly = fc.record(values, { requiredKeys: [], noNullPrototype: true })
  return { schema: z.object(shape), value: fc.oneof({ weight: 8, arbitrary: whole }, { weight: 1, arbitrary: partly }) }
}

let server: OpenServer

beforeAll(async () => {
  server = await openServer()
})

afterAll(() => server[Symbol.asyncDispose]())

async function install(definition: CustomResourceDefinition): Promise<void> {
  await server.must(DEFINITIONS, { method: 'POST', body: definition })
  const { group, names } = definition.spec
  await expect.poll(async () => (await server.request(`/apis/${group}/v1/${names.plural}`)).status).toBe(200)
}

it('agrees with the server on what is valid, and on what becomes of it', async () => {
  const objects = fc.sample(cases.object, { seed: SEED, numRuns: SCHEMAS })
  const alone = SCALARS.map((one) =>
    object({ a: [one, 0], b: [nullable(one), 1], c: [list(one), 2], d: [map(one), 1] }),
  )
  let [accepted, refused] = [0, 0]
  for (const [i, { schema, value }] of [...alone, ...objects].entries()) {
    const kind = defineResource({
      group: `g${i}.example.com`,
      kind: 'Thing',
      scope: 'Cluster',
      versions: { v1: { spec: schema } },
    })
    await install(kind.definition)
    for (const spec of fc.sample(value, { seed: SEED + i, numRuns: VALUES })) {
      const body = { apiVersion: `g${i}.example.com/v1`, kind: 'Thing', metadata: { name: 'x' }, spec }
      const answer = await server.request(`/apis/g${i}.example.com/v1/things?dryRun=All`, { method: 'POST', body })
      const theirs = answer.status === 201 ? answer.json()['spec'] : 'refused'
      const ours = schema.safeParse(spec)
      const about = JSON.stringify(
        { schema: kind.definition.spec.versions[0]?.schema, spec, answer: answer.body },
        undefined,
        1,
      )
      expect(theirs, about).toEqual(ours.success ? ours.data : 'refused')
      if (ours.success) accepted++
      else refused++
    }
  }
  // Neither is a test of one verdict only.
  expect(Math.min(accepted, refused)).toBeGreaterThan((accepted + refused) / 5)
})
