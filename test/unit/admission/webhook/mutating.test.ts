import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import { ALLOW, answerWith, CUT, denyWith, HANG, patchWith, respond } from '../../../fakes/webhook-server.ts'
import { configMap, openWebhookWorld, refusal, type WebhookWorld } from './webhook-world.ts'

const add = (path: string, value: unknown): object => ({ op: 'add', path, value })

describe('mutating webhooks', () => {
  let world: WebhookWorld
  beforeEach(async () => {
    world = await openWebhookWorld()
  })
  afterEach(() => world[Symbol.asyncDispose]())

  it('are told of the request in an AdmissionReview (W-170, W-489)', async () => {
    world.server.on('/a', ALLOW)
    world.mutating('c', world.hook('/a'))
    const object = configMap('m', { data: { a: '1' } })
    await world.mutate(object, {
      user: { name: 'jane', uid: 'u1', groups: ['g'], extra: { scope: ['x'] } },
      dryRun: true,
      options: { kind: 'PatchOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me', dryRun: ['All'] },
    })
    const [call] = world.server.calls
    expect(call).toMatchObject({
      path: '/a',
      query: 'timeout=5s',
      headers: {
        'user-agent': 'kube-apiserver-admission',
        accept: 'application/json, */*',
        'content-type': 'application/json',
      },
    })
    const { uid } = call!.review.request
    expect(uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(call!.review).toEqual({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: {
        uid,
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        requestResource: { group: '', version: 'v1', resource: 'configmaps' },
        name: 'm',
        namespace: 'ns',
        operation: 'CREATE',
        userInfo: { username: 'jane', uid: 'u1', groups: ['g'], extra: { scope: ['x'] } },
        object,
        oldObject: null,
        dryRun: true,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me', dryRun: ['All'] },
      },
    })
  })

  it('change the object by a patch, and see what those before them changed (W-488, W-496)', async () => {
    world.server.on('/first', patchWith([add('/data', { a: '1' })]))
    world.server.on('/second', patchWith([add('/data/b', '2')]))
    world.mutating('b', world.hook('/second'))
    world.mutating('a', world.hook('/first'))
    expect(await world.mutate(configMap('m'))).toMatchObject({ data: { a: '1', b: '2' } })
    expect(world.server.calls.map(({ path }) => path)).toEqual(['/first', '/second'])
    expect(world.annotations['mutation.webhook.admission.k8s.io/round_0_index_0']).toBe(
      '{"configuration":"a","webhook":"first.example.com","mutated":true}',
    )
  })

  it('leave the very object where nothing changes', async () => {
    world.server.on('/none', patchWith([]))
    world.server.on('/same', patchWith([add('/data', { a: '1' })]))
    world.mutating('a', world.hook('/none'), world.hook('/same'))
    const object = configMap('m', { data: { a: '1' } })
    expect(await world.mutate(object)).toBe(object)
  })

  it('never change the object in place', async () => {
    world.server.on('/a', patchWith([add('/data/b', '2')]))
    world.mutating('a', world.hook('/a'))
    const object = configMap('m', { data: { a: '1' } })
    await world.mutate(object, { oldObject: object as unknown as ApiObject, operation: 'UPDATE' })
    expect(object).toEqual(configMap('m', { data: { a: '1' } }))
    expect(world.server.calls[0]!.review.request.oldObject).toEqual(object)
  })

  it('are asked again where a later one changed the object, if they want to be (W-447)', async () => {
    world.server.on('/eager', ALLOW)
    world.server.on('/once', ALLOW)
    world.server.on('/changer', patchWith([add('/data', { a: '1' })]))
    const eager = { reinvocationPolicy: 'IfNeeded' }
    world.mutating('a', world.hook('/eager', eager), world.hook('/once'), world.hook('/changer', eager))
    await world.mutate(configMap('m'))
    expect(world.server.calls.map(({ path }) => path)).toEqual(['/eager', '/once', '/changer', '/eager'])
    expect(world.server.calls[3]!.review.request.object?.['data']).toEqual({ a: '1' })
  })

  it('are asked again where a built-in plugin changed the object after them (W-447)', async () => {
    world.server.on('/eager', patchWith([add('/data', { a: '1' })]))
    world.mutating('a', world.hook('/eager', { reinvocationPolicy: 'IfNeeded' }))
    world.before.push({
      mutate: ({ object, walk }) =>
        walk?.isSecond === true ? { ...object!, data: { ...(object!['data'] as object), built: 'in' } } : object,
    })
    await world.mutate(configMap('m'))
    expect(world.server.calls.map(({ path }) => path)).toEqual(['/eager', '/eager'])
  })

  it('are never asked for the first time in the second round (W-448)', async () => {
    world.server.on('/late', ALLOW)
    world.server.on('/changer', patchWith([add('/metadata/labels', { app: 'x' })]))
    world.mutating(
      'a',
      world.hook('/late', { reinvocationPolicy: 'IfNeeded', objectSelector: { matchLabels: { app: 'x' } } }),
      world.hook('/changer'),
    )
    await world.mutate(configMap('m'))
    expect(world.server.calls.map(({ path }) => path)).toEqual(['/changer'])
  })

  it('are asked about other versions of the same objects, in the version that they know (W-484)', async () => {
    const rules = [{ operations: ['*'], apiGroups: ['x'], apiVersions: ['v2'], resources: ['things'], scope: '*' }]
    world.server.on('/v2', patchWith([add('/values/b', '2')]))
    world.mutating('a', world.hook('/v2', { rules }), world.hook('/v2', { rules, matchPolicy: 'Exact', name: 'exact' }))
    const things = { group: 'x', version: 'v1', resource: 'things' }
    const kind = { group: 'x', version: 'v1', kind: 'Thing' }
    const made = await world.mutate(
      { kind: 'Thing', apiVersion: 'x/v1', metadata: { name: 't' }, data: { a: '1' } },
      { resource: things, requestResource: things, kind, requestKind: kind },
    )
    expect(made).toMatchObject({ apiVersion: 'x/v1', data: { a: '1', b: '2' } })
    expect(world.server.calls).toHaveLength(1)
    expect(world.server.calls[0]!.review.request).toMatchObject({
      kind: { group: 'x', version: 'v2', kind: 'Thing' },
      resource: { version: 'v2' },
      requestKind: { version: 'v1' },
      requestResource: { version: 'v1' },
      object: { apiVersion: 'x/v2', values: { a: '1' } },
    })
  })

  it('may answer in v1beta1, without a uid and without the type of the patch', async () => {
    const patch = Buffer.from(JSON.stringify([add('/data', { a: '1' })])).toString('base64')
    world.server.on('/old', respond({ allowed: true, uid: '', patch }))
    world.mutating('a', world.hook('/old', { admissionReviewVersions: ['v9', 'v1beta1', 'v1'] }))
    expect(await world.mutate(configMap('m'))).toMatchObject({ data: { a: '1' } })
    expect(world.server.calls[0]!.review.apiVersion).toBe('admission.k8s.io/v1beta1')
  })

  it('tell the client and the audit log (W-497)', async () => {
    world.server.on('/a', respond({ allowed: true, warnings: ['careful'], auditAnnotations: { note: 'n' } }))
    world.mutating('a', world.hook('/a'))
    await world.mutate(configMap('m'))
    expect(world.warnings).toEqual(['careful'])
    expect(world.annotations['a.example.com/note']).toBe('n')
  })

  it('refuse with their own code, reason and details (W-493)', async () => {
    const details = { name: 'm', causes: [{ reason: 'R', message: 'M', field: 'f' }], retryAfterSeconds: 3 }
    world.server.on('/a', denyWith({ code: 418, reason: 'Teapot', message: 'short and stout', details }))
    world.mutating('a', world.hook('/a', { failurePolicy: 'Ignore' }))
    expect(await refusal(world.mutate(configMap('m')))).toMatchObject({
      code: 418,
      reason: 'Teapot',
      message: 'admission webhook "a.example.com" denied the request: short and stout',
      details,
    })
    expect(world.observed.rejections).toEqual([
      { name: 'a.example.com', type: 'admit', operation: 'CREATE', errorType: 'no_error', code: 418 },
    ])
  })

  it.each<[string, object | undefined, number, string]>([
    ['nothing', undefined, 400, 'without explanation'],
    ['a reason alone', { reason: 'Forbidden' }, 400, ': Forbidden'],
    ['a code of success', { code: 200, message: 'm' }, 400, ': m'],
    ['a code that is none', { code: 99_999, message: 'm' }, 400, ': m'],
    ['a code that is no number', { code: 'x', message: 'm' }, 400, ': m'],
  ])('refuse with %s (W-493)', async (_name, status, code, end) => {
    world.server.on('/a', denyWith(status))
    world.mutating('a', world.hook('/a'))
    const error = await refusal(world.mutate(configMap('m')))
    expect(error.code).toBe(code)
    expect(error.message).toBe(`admission webhook "a.example.com" denied the request${end.replace(/^w/, ' w')}`)
  })

  const invalid = 'received invalid webhook response: '
  const failures: readonly [string, Parameters<WebhookWorld['server']['on']>[1], RegExp | string][] = [
    ['another uid', respond({ allowed: true, uid: 'x' }), /expected response\.uid="[0-9a-f-]{36}", got "x"$/],
    ['no response', answerWith(200, '{}'), `${invalid}webhook response was absent`],
    [
      'another kind',
      respond({ allowed: true }, { kind: 'X' }),
      /expected webhook response of admission\.k8s\.io\/v1, Kind=AdmissionReview, got admission\.k8s\.io\/v1, Kind=X$/,
    ],
    [
      'a patch without a type',
      respond({ allowed: true, patch: btoa('[]') }),
      `${invalid}webhook returned response.patch but not response.patchType`,
    ],
    [
      'a type without a patch',
      respond({ allowed: true, patchType: 'JSONPatch' }),
      `${invalid}webhook returned response.patchType but not response.patch`,
    ],
    [
      'a patch that is no JSON',
      respond({ allowed: true, patchType: 'JSONPatch', patch: btoa('x') }),
      /received undecodable patch in webhook response: /,
    ],
    ['garbage', answerWith(200, 'x'), /failed to call webhook: couldn't get version\/kind; json parse error: /],
    [
      'an error',
      answerWith(500, 'oh no'),
      'failed to call webhook: an error on the server ("oh no") has prevented the request from succeeding',
    ],
    [
      'a redirect',
      answerWith(302, '', { location: 'https://169.254.169.254/' }),
      'failed to call webhook: the server responded with the status code 302 but did not return more information',
    ],
    ['half an answer', CUT, /failed to call webhook: unexpected error when reading response body/],
    ['nothing in time', HANG, /failed to call webhook: Post "[^"]+\?timeout=1s": context deadline exceeded$/],
    ['too much', answerWith(200, ' '.repeat(16 * 1024 * 1024 + 1)), /the response is larger than 16777216 bytes$/],
  ]
  it.each(failures)(
    'fail the request, or are overlooked, where they answer with %s (W-013, W-492, W-494, W-495)',
    async (_name, behaviour, text) => {
      const timeoutSeconds = behaviour === HANG ? 0.05 : 10
      world.server.on('/a', behaviour)
      world.mutating('a', world.hook('/a', { timeoutSeconds }))
      const error = await refusal(world.mutate(configMap('m')))
      expect(error).toMatchObject({ code: 500, reason: 'InternalError' })
      const prefix = 'Internal error occurred: failed calling webhook "a.example.com": '
      expect(error.message.startsWith(prefix)).toBe(true)
      if (typeof text === 'string') expect(error.message.slice(prefix.length)).toBe(text)
      else expect(error.message).toMatch(text)
      expect(error.details?.causes).toEqual([{ message: error.message.replace('Internal error occurred: ', '') }])
      expect(world.observed.rejections).toMatchObject([{ errorType: 'calling_webhook_error' }])
      world.mutating('a', world.hook('/a', { timeoutSeconds, failurePolicy: 'Ignore' }))
      const object = configMap('m')
      expect(await world.mutate(object)).toBe(object)
      expect(world.observed.open).toEqual(['a.example.com'])
      expect(world.annotations['failed-open.mutation.webhook.admission.k8s.io/round_0_index_0']).toBe('a.example.com')
    },
  )

  it('fail the request, whatever the policy is, where all together take too long (W-017)', async () => {
    world.server.on('/a', HANG)
    world.mutating('a', world.hook('/a', { failurePolicy: 'Ignore' }), world.hook('/b', { failurePolicy: 'Ignore' }))
    const deadline = performance.now() + 250
    expect(await refusal(world.mutate(configMap('m'), { deadline }))).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
    })
    // A machine may be so slow that the time is up before the first is called; the second never is.
    const calls = world.server.calls.map(({ path, query }) => `${path}?${query}`)
    expect([[], ['/a?timeout=1s']]).toContainEqual(calls)
  })

  it('fail whatever the policy is where their patch cannot be applied (W-496)', async () => {
    world.server.on('/a', patchWith([{ op: 'remove', path: '/nope' }]))
    world.mutating('a', world.hook('/a', { failurePolicy: 'Ignore' }))
    expect(await refusal(world.mutate(configMap('m')))).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message:
        "Internal error occurred: error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value",
    })
  })

  it('cannot change what is deleted (W-317, W-496)', async () => {
    world.server.on('/a', patchWith([add('/data', {})]))
    world.mutating('a', world.hook('/a', { failurePolicy: 'Ignore' }))
    const oldObject = configMap('m') as unknown as ApiObject
    const error = await refusal(world.mutate(undefined, { operation: 'DELETE', oldObject, name: 'm' }))
    expect(error).toMatchObject({
      code: 500,
      message:
        'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
    })
    expect(world.server.calls[0]!.review.request).toMatchObject({ object: null, oldObject: { kind: 'ConfigMap' } })
  })

  it('are not asked about their own configurations (W-487)', async () => {
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: '*' }]
    world.server.on('/a', denyWith())
    world.mutating('a', world.hook('/a', { rules }))
    const kind = { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingWebhookConfiguration' }
    const object = configMap('m')
    expect(await world.mutate(object, { kind, requestKind: kind })).toBe(object)
  })

  it('are reached at their service', async () => {
    world.server.on('/path', ALLOW)
    const service = { namespace: 'ns', name: 'hook', port: 8443, path: '/path/' }
    world.mutating('a', world.hook('/a', { clientConfig: { service, caBundle: world.server.caBundle } }))
    await world.mutate(configMap('m'))
    expect(world.server.calls[0]).toMatchObject({ path: '/path', headers: { host: 'hook.ns.svc:8443' } })
    const missing = { clientConfig: { service: { namespace: 'ns', name: 'missing' } } }
    world.mutating('a', world.hook('/a', missing))
    expect((await refusal(world.mutate(configMap('m')))).message).toBe(
      'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://missing.ns.svc:443/?timeout=5s": service "missing" not found',
    )
  })

  it('cannot be called with a bundle that holds no certificate', async () => {
    const clientConfig = { url: `${world.server.url}/a`, caBundle: btoa('x') }
    world.mutating('a', world.hook('/a', { clientConfig }))
    expect((await refusal(world.mutate(configMap('m')))).message).toBe(
      'Internal error occurred: failed calling webhook "a.example.com": could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
    )
  })

  describe('under a dry run', () => {
    it('fail it where they have effects, whatever the policy (W-400, W-641, D24)', async () => {
      world.mutating('a', world.hook('/a', { sideEffects: 'Some', failurePolicy: 'Ignore' }))
      expect(await refusal(world.mutate(configMap('m'), { dryRun: true }))).toMatchObject({
        code: 400,
        reason: 'BadRequest',
        message: 'admission webhook "a.example.com" does not support dry run',
      })
      expect(world.server.calls).toEqual([])
    })

    it('are told of it where they have none then (W-399)', async () => {
      world.server.on('/a', ALLOW)
      world.mutating('a', world.hook('/a', { sideEffects: 'NoneOnDryRun' }))
      await world.mutate(configMap('m'), { dryRun: true })
      expect(world.server.calls[0]!.review.request.dryRun).toBe(true)
    })

    it('count as failed where they do not say (W-401)', async () => {
      world.mutating('a', world.hook('/a', { sideEffects: undefined }))
      expect((await refusal(world.mutate(configMap('m'), { dryRun: true }))).message).toBe(
        'Internal error occurred: failed calling webhook "a.example.com": Webhook SideEffects is nil',
      )
    })
  })
})
