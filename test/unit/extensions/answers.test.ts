import { describe, expect, it } from 'vitest'
import type { Value } from '../../../src/api/value.ts'
import { parseJsonText } from '../../../src/api/json-text.ts'
import { admissionAnswer, authorizationAnswer, conversionAnswer } from '../../../src/extensions/answers.ts'

const OBJECT = '{"metadata":{"name":"a"},"big":9007199254740993}'
const ADMISSION = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"7","object":${OBJECT}}}`

async function admitted(result: unknown): Promise<Value> {
  const review = parseJsonText(await admissionAnswer(() => result)(ADMISSION)) as { response: Value }
  return review.response
}

const patched = (text: string): object => ({ patchType: 'JSONPatch', patch: Buffer.from(text).toString('base64') })

describe('what an admission function says', () => {
  it.each<[string, unknown, object]>([
    ['nothing', undefined, { allowed: true }],
    ['a promise of nothing', Promise.resolve(), { allowed: true }],
    ['nothing much', {}, { allowed: true }],
    ['yes', { allowed: true }, { allowed: true }],
    ['no', { allowed: false }, { allowed: false, status: {} }],
    [
      'why not',
      { allowed: false, message: 'm', code: 409, reason: 'Conflict' },
      { allowed: false, status: { message: 'm', code: 409, reason: 'Conflict' } },
    ],
    [
      'more than that',
      { warnings: ['w'], auditAnnotations: { a: 'b' } },
      { allowed: true, warnings: ['w'], auditAnnotations: { a: 'b' } },
    ],
    ['the same object', { object: parseJsonText(OBJECT) }, { allowed: true }],
    ['what is the same as JSON', { object: { ...(parseJsonText(OBJECT) as object), a: undefined } }, { allowed: true }],
    [
      'another object',
      { object: { big: 9007199254740993n } },
      { allowed: true, ...patched('[{"op":"replace","path":"","value":{"big":9007199254740993}}]') },
    ],
    [
      'a patch',
      { patch: [{ op: 'remove', path: '/a' }] },
      { allowed: true, ...patched('[{"op":"remove","path":"/a"}]') },
    ],
  ])('is %s', async (_, result, response) => {
    expect(await admitted(result)).toEqual({ uid: '7', ...response })
  })

  it.each<[string, unknown, string]>([
    ['a word', 'no', 'the function must return nothing or { allowed, message, code, reason'],
    ['false', false, 'not false'],
    ['null', null, 'not null'],
    ['a list', [1], 'not [1]'],
    ['the object itself', { metadata: {} }, 'there is no metadata'],
    ['a text for a verdict', { allowed: 'false' }, 'true or false for allowed, not "false"'],
    ['null for a verdict', { allowed: null }, 'true or false for allowed, not null'],
    ['a reason for a yes', { message: 'no' }, 'allowed: false with a message'],
    ['a code for a yes', { allowed: true, code: 403 }, 'allowed: false with a message'],
    ['two changes', { object: {}, patch: [] }, 'the object or a patch, not both'],
  ])('is not %s', async (_, result, message) => {
    await expect(admitted(result)).rejects.toThrow(message)
  })

  it('is what it throws', async () => {
    const answer = admissionAnswer(() => {
      throw new RangeError('x')
    })
    await expect(answer(ADMISSION)).rejects.toThrow(RangeError)
  })

  it('is seen as a change also where the function changed what it was given', async () => {
    const answer = admissionAnswer(({ object }: { object: Record<string, unknown> }) => {
      object['data'] = 1
      return { object }
    })
    expect(await answer(ADMISSION)).toContain('"patchType":"JSONPatch"')
  })
})

describe('what an authorization function says', () => {
  const review = { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec: { user: 'ann' } }
  it.each<[string, unknown, object]>([
    ['nothing', undefined, { allowed: false }],
    ['yes', { allowed: true, reason: 'r' }, { allowed: true, reason: 'r' }],
    ['no', { denied: true }, { allowed: false, denied: true }],
  ])('is %s', async (_, result, status) => {
    const asked: unknown[] = []
    const answer = authorizationAnswer((spec: unknown) => {
      asked.push(spec)
      return result
    })
    const { spec, ...rest } = review
    expect(JSON.parse(await answer(JSON.stringify(review)))).toEqual({ ...rest, status })
    expect(asked).toEqual([spec])
  })

  it.each([{ allowed: 'no' }, { denied: 1 }, { allowed: null }])('is not %j', async (result) => {
    await expect(authorizationAnswer(() => result)(JSON.stringify(review))).rejects.toThrow(
      'must return true or false for',
    )
  })

  it('is not true', async () => {
    await expect(authorizationAnswer(() => true)(JSON.stringify(review))).rejects.toThrow('{ allowed, denied, reason }')
  })
})

describe('what a conversion function makes', () => {
  const object = (name: string) => ({ kind: 'Foo', apiVersion: 'x.io/v1', metadata: { name }, spec: { a: 1 } })
  const request = { uid: '7', desiredAPIVersion: 'x.io/v2', objects: [object('a'), object('b')] }
  const review = JSON.stringify({ kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', request })

  it('has the version that was asked for, and what it left out', async () => {
    const answer = conversionAnswer((each: object, to: string) => ({
      ...each,
      kind: undefined,
      spec: { to },
    }))
    const made = (name: string) => ({ ...object(name), apiVersion: 'x.io/v2', spec: { to: 'v2' } })
    expect(JSON.parse(await answer(review))).toEqual({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      response: { uid: '7', result: { status: 'Success' }, convertedObjects: [made('a'), made('b')] },
    })
  })

  it('is an object', async () => {
    await expect(conversionAnswer(() => undefined)(review)).rejects.toThrow('must return an object')
  })
})
