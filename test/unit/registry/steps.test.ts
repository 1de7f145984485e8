import { expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import { encodeStored } from '../../../src/codec/stored-json.ts'
import { admissionRequest, keyOf, parseResourceVersion, takeSteps, writeFitting } from '../../../src/registry/steps.ts'
import type { PutOutcome, Store } from '../../../src/store/store.ts'
import { openWorld } from '../../rigs/api-world.ts'

const world = await openWorld()
const HPA = { group: 'autoscaling', kind: 'HorizontalPodAutoscaler' }
const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

it.each([
  ['the kind that is stored', undefined, { kind: { ...HPA, version: 'v2' }, requestKind: { ...HPA, version: 'v1' } }],
  ['the kind of a view', SCALE, { kind: SCALE, requestKind: SCALE }],
])('admission is asked about %s', (_name, kind, expected) => {
  const step = {
    resource: world.resource('horizontalpodautoscalers', 'autoscaling'),
    operation: 'UPDATE',
    subresource: '',
    name: 'a',
    object: undefined,
    oldObject: undefined,
    ...(kind === undefined ? {} : { kind }),
  } as const
  expect(admissionRequest(step, world.context())).toMatchObject(expected)
})

it.each<[string, string, number | string]>([
  ['none', '', 0],
  ['a number', '42', 42],
  ['nineteen digits', '1000000000000000000', 1e18],
  ['more digits', '12345678901234567890', 'value out of range'],
  ['other text', '0x10', 'invalid syntax'],
])('a resource version that is %s', (_name, text, expected) => {
  if (typeof expected === 'number') expect(parseResourceVersion(text)).toBe(expected)
  else expect(() => parseResourceVersion(text)).toThrow(`strconv.ParseUint: parsing "${text}": ${expected}`)
})

const owned: ApiObject = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'ns', managedFields: [{ manager: 'm' }] },
}

it.each<[string, PutOutcome]>([
  ['an object', { kind: 'put', object: owned }],
  ['bytes', { kind: 'put', bytes: encodeStored(owned) }],
])('a write of %s that does not fit is tried again without managed fields', async (_name, outcome) => {
  const { store } = world.parts
  let attempts = 0
  let resumes = 0
  const narrow: Store = {
    ...store,
    write: (key, decide, signal) => {
      attempts += 1
      return attempts === 1
        ? Promise.resolve(decide(undefined)).then(() => Promise.reject(new ApiError('RequestEntityTooLarge', 'no')))
        : store.write(key, decide, signal)
    },
  }
  const key = keyOf(world.resource('configmaps'), 'ns', `a-${Object.keys(outcome)[1]}`)
  const request = { key, decide: () => outcome, keepsOwners: false }
  const { object } = await writeFitting(narrow, request, {
    signal: new AbortController().signal,
    resume: () => void (resumes += 1),
  })
  expect([attempts, resumes]).toEqual([2, 2])
  expect(object?.kind === 'object' && object.object().metadata).toEqual({
    name: 'a',
    namespace: 'ns',
    resourceVersion: expect.any(String) as unknown,
  })
})

it('a write has the event loop again behind each step', async () => {
  const taken: string[] = []
  const context = { ...world.context(), resume: () => void taken.push('resume') }
  const step = (name: string, waits: boolean) => (object: ApiObject) => {
    taken.push(name)
    return waits ? Promise.resolve(object) : object
  }
  expect(await takeSteps([step('one', false), step('webhook', true)], owned, { context })).toBe(owned)
  expect(taken).toEqual(['one', 'resume', 'webhook', 'resume'])
})

it('writes that arrive together take each step together', async () => {
  const taken: string[] = []
  const write = (name: string): Promise<ApiObject> => {
    const step = (at: number) => (object: ApiObject) => {
      taken.push(`${name}${at}`)
      return object
    }
    return takeSteps([step(1), step(2), step(3)], owned, { context: world.context() })
  }
  await Promise.all([write('a'), write('b')])
  expect(taken).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
})
