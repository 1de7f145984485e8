import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import { ALLOW, denyWith, HANG, respond } from '../../../fakes/webhook-server.ts'
import { type AdmissionRequest, configMap, openWebhookWorld, refusal, type WebhookWorld } from './webhook-world.ts'

describe('validating webhooks', () => {
  let world: WebhookWorld
  beforeEach(async () => {
    world = await openWebhookWorld({ team: 'a' })
  })
  afterEach(() => world[Symbol.asyncDispose]())

  it('are asked all at once (W-488)', async () => {
    let answer: (() => void) | undefined
    world.server.on('/waits', (review, out) => {
      answer = () => ALLOW(review, out)
    })
    world.server.on('/frees', (review, out) => {
      ALLOW(review, out)
      answer?.()
    })
    world.validating('a', world.hook('/waits'), world.hook('/frees'))
    await world.validate(configMap('m'))
    expect(world.server.calls).toHaveLength(2)
    expect(world.observed.calls.map(({ type, code, rejected }) => [type, code, rejected])).toEqual([
      ['validating', 200, false],
      ['validating', 200, false],
    ])
  })

  it('refuse as soon as the first does, without waiting for the others', async () => {
    world.server.on('/hangs', HANG)
    world.server.on('/denies', denyWith({ message: 'no' }))
    world.validating('a', world.hook('/hangs', { timeoutSeconds: 300 }), world.hook('/denies'))
    // The test would not last as long as the other takes.
    expect((await refusal(world.validate(configMap('m')))).message).toBe(
      'admission webhook "denies.example.com" denied the request: no',
    )
  })

  it.each([
    ['response.patch', { patch: btoa('[]') }],
    ['response.patchType', { patchType: 'JSONPatch' }],
  ])('may not return %s (W-492)', async (what, response) => {
    world.server.on('/a', respond({ allowed: true, ...response }))
    world.validating('a', world.hook('/a'))
    expect((await refusal(world.validate(configMap('m')))).message).toBe(
      `Internal error occurred: failed calling webhook "a.example.com": received invalid webhook response: validating webhook may not return ${what}`,
    )
  })

  it('keep the connection between calls', async () => {
    world.server.on('/a', ALLOW)
    world.validating('a', world.hook('/a'))
    for (let i = 0; i < 5; i++) await world.validate(configMap('m'))
    expect(world.server.connections()).toBe(1)
  })

  const rule = (more: object): object => ({
    rules: [
      {
        operations: ['CREATE'],
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['configmaps'],
        scope: '*',
        ...more,
      },
    ],
  })
  const namespaces = {
    resource: { group: '', version: 'v1', resource: 'namespaces' },
    requestResource: { group: '', version: 'v1', resource: 'namespaces' },
    namespace: '',
  }
  const labelled = (labels: object): object => configMap('m', { metadata: { name: 'm', labels } })
  const matches: readonly [string, object, Partial<AdmissionRequest>, object, boolean][] = [
    ['the rule', rule({}), {}, configMap('m'), true],
    ['another operation', rule({}), { operation: 'UPDATE' }, configMap('m'), false],
    ['any operation', rule({ operations: ['*'] }), { operation: 'UPDATE' }, configMap('m'), true],
    ['another group', rule({ apiGroups: ['apps'] }), {}, configMap('m'), false],
    ['any group and version', rule({ apiGroups: ['*'], apiVersions: ['*'] }), {}, configMap('m'), true],
    ['another resource', rule({ resources: ['secrets'] }), {}, configMap('m'), false],
    ['no subresource', rule({}), { subresource: 'status' }, configMap('m'), false],
    ['all subresources', rule({ resources: ['configmaps/*'] }), { subresource: 'status' }, configMap('m'), true],
    ['all subresources and the resource', rule({ resources: ['configmaps/*'] }), {}, configMap('m'), true],
    ['one subresource of all', rule({ resources: ['*/status'] }), { subresource: 'status' }, configMap('m'), true],
    ['all resources, no subresource', rule({ resources: ['*'] }), { subresource: 'status' }, configMap('m'), false],
    ['namespaced', rule({ scope: 'Namespaced' }), {}, configMap('m'), true],
    ['not namespaced', rule({ scope: 'Cluster' }), {}, configMap('m'), false],
    ['a namespace: cluster', rule({ scope: 'Cluster', resources: ['*'] }), namespaces, configMap('n'), true],
    ['a namespace: not namespaced', rule({ scope: 'Namespaced', resources: ['*'] }), namespaces, configMap('n'), false],
    ['the namespace’s label', { namespaceSelector: { matchLabels: { team: 'a' } } }, {}, configMap('m'), true],
    ['another of the namespace', { namespaceSelector: { matchLabels: { team: 'b' } } }, {}, configMap('m'), false],
    [
      'no namespace at all',
      { namespaceSelector: { matchLabels: { team: 'b' } } },
      { namespace: '' },
      configMap('m'),
      true,
    ],
    [
      'a namespace’s own label',
      { ...rule({ resources: ['*'] }), namespaceSelector: { matchLabels: { app: 'x' } } },
      namespaces,
      labelled({ app: 'x' }),
      true,
    ],
    ['the object’s label', { objectSelector: { matchLabels: { app: 'x' } } }, {}, labelled({ app: 'x' }), true],
    ['no label of the object', { objectSelector: { matchLabels: { app: 'x' } } }, {}, configMap('m'), false],
    [
      'the label that the object had',
      { objectSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } },
      { operation: 'UPDATE', oldObject: labelled({ app: 'x' }) as unknown as ApiObject },
      configMap('m'),
      true,
    ],
  ]
  it.each(matches)('are asked or not: %s (W-483, W-485)', async (_name, hook, request, object, asked) => {
    world.server.on('/a', ALLOW)
    world.validating('a', world.hook('/a', hook))
    await world.validate(object, request)
    expect(world.server.calls.length === 1).toBe(asked)
  })

  it('are told of a namespace as being in itself (W-490)', async () => {
    world.server.on('/a', ALLOW)
    world.validating('a', world.hook('/a', rule({ resources: ['namespaces'] })))
    await world.validate(configMap('n'), namespaces)
    expect(world.server.calls[0]!.review.request).toMatchObject({ name: 'n', namespace: 'n' })
  })

  it('cannot be chosen by a namespace that is not there', async () => {
    world.validating('a', world.hook('/a', { namespaceSelector: { matchLabels: { team: 'a' } } }))
    expect(await refusal(world.validate(configMap('m'), { namespace: 'gone' }))).toMatchObject({
      code: 404,
      message: 'namespaces "gone" not found',
    })
  })
})
