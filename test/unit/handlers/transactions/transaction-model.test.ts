// Transactions held against a naive model: what is there afterwards, what is refused, and that all of it happens in one revision.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ApiWorld, openWorld } from '../../../rigs/api-world.ts'

const PATH = '/apis/transactions.quarterdeck.io/v1/transactions'
const MAPS = '/api/v1/namespaces/ns/configmaps'
const NAMES = ['a', 'b', 'c']

interface Step {
  readonly verb: 'create' | 'update' | 'apply' | 'patch' | 'delete' | 'present' | 'absent'
  readonly name: string
  readonly value: string
}

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom('create', 'update', 'apply', 'patch', 'delete', 'present', 'absent'),
  name: fc.constantFrom(...NAMES),
  value: fc.constantFrom('1', '2', '3'),
})

type State = ReadonlyMap<string, string>

interface Outcome {
  readonly state: State
  readonly refusedAt: number | undefined
}

/** One operation after the other on a copy; the first that is refused ends it, and the copy is thrown away. */
function carriedOut(before: State, steps: readonly Step[]): Outcome {
  const state = new Map(before)
  const removed = new Set<string>()
  for (const [at, { verb, name, value }] of steps.entries()) {
    const isThere = state.has(name)
    const mayNot =
      verb === 'present'
        ? !before.has(name)
        : verb === 'absent'
          ? before.has(name)
          : verb === 'create'
            ? isThere || removed.has(name)
            : verb === 'patch' || verb === 'delete'
              ? !isThere
              : !isThere && removed.has(name)
    if (mayNot) return { state: before, refusedAt: at }
    if (verb === 'delete') {
      state.delete(name)
      // What the transaction itself has made was never there.
      if (before.has(name)) removed.add(name)
    } else if (verb !== 'present' && verb !== 'absent') state.set(name, value)
  }
  return { state, refusedAt: undefined }
}

async function stateOf(world: ApiWorld): Promise<{ state: State; versions: ReadonlyMap<string, string> }> {
  const { body } = await world.send({ method: 'GET', path: MAPS })
  const items = (
    body['items'] as { metadata: { name: string; resourceVersion: string }; data?: Record<string, string> }[]
  ).filter(({ metadata }) => NAMES.includes(metadata.name))
  return {
    state: new Map(items.map(({ metadata, data }) => [metadata.name, data?.['v'] ?? ''])),
    versions: new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion])),
  }
}

function operationOf({ verb, name, value }: Step, versions: ReadonlyMap<string, string>): object {
  const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name }
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'ns' }, data: { v: value } }
  switch (verb) {
    case 'create':
    case 'update':
      return { [verb]: map }
    case 'apply':
      return { apply: map, fieldManager: 'model', force: true }
    case 'patch':
      return { patch: { target, type: 'merge', patch: { data: { v: value } } } }
    case 'delete':
      return { delete: { target } }
    case 'present':
      return { expect: { target, resourceVersion: versions.get(name) ?? '1' } }
    case 'absent':
      return { expect: { target, absent: true } }
  }
}

it('a transaction does what a naive model does, or nothing, in one revision', async () => {
  const world = await openWorld()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
      async (transactions) => {
        for (const steps of transactions) {
          const before = await stateOf(world)
          const { state, refusedAt } = carriedOut(before.state, steps)
          const operations = steps.map((one) => operationOf(one, before.versions))
          const { status, body } = await world.send({
            method: 'POST',
            path: PATH,
            body: { kind: 'Transaction', operations },
          })
          const after = await stateOf(world)
          const shown = JSON.stringify({ steps, before: [...before.state], status, body })
          expect(Math.floor(status / 100), shown).toBe(refusedAt === undefined ? 2 : 4)
          expect(after.state, shown).toEqual(state)
          if (refusedAt !== undefined) {
            expect(JSON.stringify(body['details']), shown).toContain(`operations[${refusedAt}]`)
            expect(after.versions, shown).toEqual(before.versions)
          }
          const written = [...after.versions].filter(([name, version]) => before.versions.get(name) !== version)
          expect(new Set(written.map(([, version]) => version)).size, shown).toBeLessThanOrEqual(1)
        }
      },
    ),
    { numRuns: 60 },
  )
})
