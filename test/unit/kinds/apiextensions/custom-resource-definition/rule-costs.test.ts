import { expect, it } from 'vitest'
import type { ApiObject } from '../../../../../src/api/object.ts'
import { kindOf } from '../../../../../src/kinds/kinds.ts'
import { runInTurns, Turns } from '../../../../../src/lib/turns.ts'

const RULES = 'x-kubernetes-validations'

interface Told {
  readonly limits: object
  readonly versions: readonly {
    readonly name: string
    readonly cost: number
    readonly rules: readonly {
      readonly field: string
      readonly index: number
      readonly cost: number
      readonly hints: readonly string[]
    }[]
  }[]
}

async function costsOf(...schemas: readonly object[]): Promise<Told> {
  const versions = schemas.map((openAPIV3Schema, i) => ({ name: `v${i + 1}`, schema: { openAPIV3Schema } }))
  const definition = { metadata: { name: 'foos.example.com' }, spec: { versions } } as unknown as ApiObject
  const { ruleCosts } = kindOf({ group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' })
  return (await runInTurns(ruleCosts!(definition), new Turns())) as unknown as Told
}

const named = (bounds: object) => ({
  type: 'object',
  [RULES]: [{ rule: 'true' }],
  properties: {
    names: {
      type: 'array',
      ...bounds,
      [RULES]: [{ rule: 'true' }, { rule: 'self.all(a, self.exists(b, a == b))' }],
      items: { type: 'string', maxLength: 20, [RULES]: [{ rule: 'self != ""' }] },
    },
  },
})

it('are told for every rule at its place, of every version', async () => {
  const { versions, limits } = await costsOf(named({ maxItems: 10 }), { type: 'object' })
  expect(limits).toEqual({ expression: 10_000_000, schema: 100_000_000 })
  expect(versions.map(({ name }) => name)).toEqual(['v1', 'v2'])
  const [first, second] = versions
  expect(first?.rules.map(({ field, index }) => [field, index])).toEqual([
    ['names[*]', 0],
    ['names', 0],
    ['names', 1],
    ['', 0],
  ])
  const [item, plain, nested, whole] = first!.rules.map(({ cost }) => cost)
  expect(plain).toBe(whole)
  expect(nested).toBeGreaterThan(100)
  // As often as there may be values.
  expect(item! % 10).toBe(0)
  expect(first?.cost).toBe(first?.rules.reduce((sum, { cost }) => sum + cost, 0))
  expect(second).toEqual({ name: 'v2', cost: 0, rules: [] })
})

it('come with the bounds that are missing, where they are high', async () => {
  const [bounded, open] = await Promise.all([costsOf(named({ maxItems: 10 })), costsOf(named({}))])
  expect(bounded.versions[0]?.rules.flatMap(({ hints }) => hints)).toEqual([])
  const [, cheap, expensive] = open.versions[0]!.rules
  expect(cheap?.hints).toEqual([])
  expect(expensive?.cost).toBeGreaterThan(10_000_000)
  expect(expensive?.hints).toEqual(['add maxItems to names'])
})

it('are finite numbers, and left out where a rule cannot be compiled', async () => {
  const text = {
    type: 'string',
    [RULES]: [{ rule: 'self.matches(self + self) && self.matches(self)' }, { rule: 'no(' }],
  }
  const nested = [1, 2, 3, 4, 5].reduce<object>((items) => ({ type: 'array', items }), text)
  const { versions } = await costsOf({ type: 'object', properties: { nested } })
  const costs = versions[0]!.rules.map(({ cost }) => cost)
  expect(costs[0]).toBeGreaterThan(1e9)
  expect(Number.isSafeInteger(costs[0])).toBe(true)
  expect(costs[1]).toBe(0)
})
