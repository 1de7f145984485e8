import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import type { ValueMap } from '../../../../src/api/value.ts'
import { plainJson } from '../../../../src/codec/json-encode.ts'
import { parseJsonDocument } from '../../../../src/codec/json-parse.ts'
import { egressPolicy } from '../../../../src/outgoing/egress-policy.ts'
import { OutgoingCaller } from '../../../../src/outgoing/call.ts'
import { conversionWebhook, type ConvertByWebhook } from '../../../../src/kinds/custom/conversion-webhook.ts'
import { answerWith, type Behaviour, openWebhookServer, type WebhookServer } from '../../../fakes/webhook-server.ts'

interface ConversionRequest {
  readonly uid: string
  readonly desiredAPIVersion: string
  readonly objects: readonly Readonly<Record<string, unknown>>[]
}

const signal = new AbortController().signal

function object(name: string, version: string, more: object = {}): ApiObject {
  const metadata = { name, namespace: 'ns', uid: `uid-${name}`, generation: 3, labels: { a: 'b' } }
  return { kind: 'Foo', apiVersion: `x.io/${version}`, metadata, ...more }
}

describe('conversion by a webhook', () => {
  let server: WebhookServer
  let caller: OutgoingCaller
  beforeAll(async () => {
    server = await openWebhookServer()
    caller = new OutgoingCaller({ egress: egressPolicy({ loopback: true }) })
  })
  beforeEach(() => {
    server.calls.length = 0
  })
  afterAll(async () => {
    caller[Symbol.dispose]()
    await server[Symbol.asyncDispose]()
  })

  const requestOf = (review: object): ConversionRequest => (review as { request: ConversionRequest }).request

  /** Answers with each object as `change` makes it. */
  function converting(change: (object: object, request: ConversionRequest) => object, more: object = {}): Behaviour {
    return (review, out) => {
      const request = requestOf(review)
      const convertedObjects = request.objects.map((each) =>
        change({ ...each, apiVersion: request.desiredAPIVersion }, request),
      )
      const { kind, apiVersion } = review
      const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects, ...more }
      out.end(plainJson({ kind, apiVersion, response } as unknown as ValueMap))
    }
  }

  function converter(behaviour: Behaviour, more: object = {}): ConvertByWebhook {
    server.on('/convert', behaviour)
    const webhook = {
      clientConfig: { url: `${server.url}/convert`, caBundle: server.caBundle },
      conversionReviewVersions: ['v2', 'v1'],
      ...more,
    } as unknown as ValueMap
    const locate = (): Promise<never> => Promise.reject(new Error('no service'))
    const parse = (bytes: Buffer): ReturnType<typeof parseJsonDocument>['value'] => parseJsonDocument(bytes).value
    return conversionWebhook({ caller, locate, encode: plainJson, parse }, webhook)
  }

  it('sends what is in another version, and puts it back in its place', async () => {
    const convert = converter(converting((each) => ({ ...each, made: true })))
    const objects = [object('a', 'v1'), object('b', 'v2'), object('c', 'v1')]
    const converted = await convert(objects, 'x.io/v2', signal)
    expect(converted).toEqual([
      { ...object('a', 'v2'), made: true },
      object('b', 'v2'),
      { ...object('c', 'v2'), made: true },
    ])
    const { review, query, headers } = server.calls[0]!
    expect(query).toBe('timeout=30s')
    expect(headers['user-agent']).toBe('kube-apiserver-admission')
    expect(review).toMatchObject({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { desiredAPIVersion: 'x.io/v2', objects: [object('a', 'v1'), object('c', 'v1')] },
    })
  })

  it('does not call where there is nothing to convert', async () => {
    const convert = converter(answerWith(500, ''))
    expect(await convert([object('a', 'v2')], 'x.io/v2', signal)).toEqual([object('a', 'v2')])
    expect(server.calls).toEqual([])
  })

  it('keeps integers of 64 bits', async () => {
    const convert = converter((review, out) => {
      const { uid } = requestOf(review)
      const sent = plainJson(object('a', 'v2', { big: 9_007_199_254_740_993n }))
      out.end(
        `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"${uid}","result":{"status":"Success"},"convertedObjects":[${sent}]}}`,
      )
    })
    const [converted] = await convert([object('a', 'v1', { big: 9_007_199_254_740_993n })], 'x.io/v2', signal)
    expect(converted?.['big']).toBe(9_007_199_254_740_993n)
  })

  it('takes labels and annotations from the webhook, and no other metadata', async () => {
    const metadata = {
      ...object('a', 'v1').metadata,
      labels: { c: 'd' },
      annotations: { e: 'f' },
      generation: 9,
      finalizers: ['x'],
    }
    const [converted] = await converter(converting((each) => ({ ...each, metadata })))(
      [object('a', 'v1')],
      'x.io/v2',
      signal,
    )
    expect(converted?.metadata).toEqual({
      name: 'a',
      namespace: 'ns',
      uid: 'uid-a',
      generation: 3,
      labels: { c: 'd' },
      annotations: { e: 'f' },
    })
  })

  const withMeta =
    (more: object) =>
    (each: object): object => ({ ...each, metadata: { ...(each as ApiObject).metadata, ...more } })
  const failures: readonly [string, Behaviour, string | RegExp][] = [
    ['another uid', converting((each) => each, { uid: 'x' }), /^ failed: expected response\.uid="[^"]+", got "x"$/],
    [
      'an error',
      answerWith(500, 'no'),
      ' failed: an error on the server ("no") has prevented the request from succeeding',
    ],
    ['garbage', answerWith(200, 'x'), /^ failed: couldn't get version\/kind; json parse error: /],
    [
      'nothing',
      answerWith(200, '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}'),
      ' failed: no response provided',
    ],
    [
      'another kind of answer',
      answerWith(200, '{"kind":"X","apiVersion":"apiextensions.k8s.io/v1"}'),
      ' failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got apiextensions.k8s.io/v1, Kind=X',
    ],
    ['a refusal', converting((each) => each, { result: { status: 'Failure', message: 'cannot' } }), ' failed: cannot'],
    ['no success', converting((each) => each, { result: {} }), " failed: response.result.status was '', not 'Success'"],
    ['one object fewer', converting((each) => each, { convertedObjects: [] }), ' returned 0 objects, expected 1'],
    [
      'the old version',
      converting((each) => ({ ...each, apiVersion: 'x.io/v1' })),
      ' returned invalid object at index 0: invalid groupVersion (expected x.io/v2, received x.io/v1)',
    ],
    [
      'another kind',
      converting((each) => ({ ...each, kind: 'Bar' })),
      ' returned invalid object at index 0: invalid kind (expected Foo, received Bar)',
    ],
    ['another name', converting(withMeta({ name: 'z' })), ' returned invalid object: must have the same name: a != z'],
    [
      'another namespace',
      converting(withMeta({ namespace: 'z' })),
      ' returned invalid object: must have the same namespace: ns != z',
    ],
    [
      'another uid of the object',
      converting(withMeta({ uid: 'z' })),
      ' returned invalid object: must have the same UID: uid-a != z',
    ],
    [
      'labels that are none',
      converting(withMeta({ labels: { a: 1 } })),
      / returned invalid metadata: metadata\.labels\[a\] must be a string/,
    ],
    [
      'labels that are not allowed',
      converting(withMeta({ labels: { '-': 'x' } })),
      / returned invalid metadata: metadata\.labels: Invalid value: "-"/,
    ],
    ['a thing that is no object', converting(() => []), / returned invalid object at index 0: invalid groupVersion/],
  ]
  it.each(failures)('fails where the webhook answers with %s', async (_name, behaviour, text) => {
    const error: unknown = await converter(behaviour)([object('a', 'v1')], 'x.io/v2', signal).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ name: 'ApiError', code: 500, reason: '' })
    const message = (error as Error).message.replace('conversion webhook for x.io/v1, Kind=Foo', '')
    if (typeof text === 'string') expect(message).toBe(text)
    else expect(message).toMatch(text)
  })

  it('cannot convert where the webhook knows none of our versions', async () => {
    const convert = converter(answerWith(200, ''), { conversionReviewVersions: ['v7'] })
    await expect(convert([object('a', 'v1')], 'x.io/v2', signal)).rejects.toThrow(
      'no supported conversion review versions',
    )
  })
})
