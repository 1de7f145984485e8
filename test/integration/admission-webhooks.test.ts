import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OpenServer, openServer, type ServerAnswer, type ServerCall } from '../rigs/running-server.ts'
import {
  ALLOW,
  answerWith,
  type Behaviour,
  denyWith,
  HANG,
  openWebhookServer,
  patchWith,
  type ReceivedCall,
  respond,
  type WebhookServer,
} from '../fakes/webhook-server.ts'

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'
const MAPS = '/api/v1/namespaces/default/configmaps'

function callOf(method: string, body: object | undefined, type: string | undefined): ServerCall {
  return {
    method,
    ...(body === undefined ? {} : { body }),
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  }
}

describe('a server with webhooks', () => {
  let server: OpenServer
  let hooks: WebhookServer
  let count = 0

  beforeAll(async () => {
    hooks = await openWebhookServer()
    server = await openServer()
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await hooks?.[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    hooks.calls.length = 0
  })

  function send(method: string, path: string, body?: object, type?: string): Promise<ServerAnswer> {
    return server.request(path, callOf(method, body, type))
  }

  function must(method: string, path: string, body?: object, type?: string): Promise<Record<string, unknown>> {
    return server.must(path, callOf(method, body, type))
  }

  interface Wanted {
    readonly behaviour: Behaviour
    readonly resources: readonly string[]
    readonly more?: object
    readonly rule?: object
  }

  /** One webhook under a name of its own, in force when this resolves; gone when the test is over. */
  async function withHook(
    kind: 'mutating' | 'validating',
    { behaviour, resources, more = {}, rule = {} }: Wanted,
    run: (calls: () => readonly ReceivedCall[]) => Promise<void>,
  ): Promise<void> {
    const name = `hook-${++count}`
    const path = `/${name}`
    const probe = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `probe-${name}` } }
    hooks.on(path, (review, out) =>
      JSON.stringify(review.request).includes('"probe-hook-') ? ALLOW(review, out) : behaviour(review, out),
    )
    const rules = (names: readonly string[], extra: object): object => ({
      operations: ['*'],
      apiGroups: ['*'],
      apiVersions: ['*'],
      resources: names,
      scope: '*',
      ...extra,
    })
    const collection = `${REGISTRATION}/${kind}webhookconfigurations`
    await must('POST', collection, {
      kind: kind === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
      apiVersion: 'admissionregistration.k8s.io/v1',
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          clientConfig: { url: `${hooks.url}${path}`, caBundle: hooks.caBundle },
          rules: [rules(resources, rule), rules(['configmaps'], { operations: ['CREATE'], apiGroups: [''] })],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          ...more,
        },
      ],
    })
    const isProbe = ({ review }: ReceivedCall): boolean => JSON.stringify(review.request).includes(probe.metadata.name)
    try {
      const isCalled = async (): Promise<boolean> => {
        await must('POST', `${MAPS}?dryRun=All`, probe)
        return hooks.calls.some(isProbe)
      }
      await expect.poll(isCalled).toBe(true)
      await run(() =>
        hooks.calls.filter(
          (call) => call.path === path && !JSON.stringify(call.review.request).includes('"probe-hook-'),
        ),
      )
    } finally {
      await must('DELETE', `${collection}/${name}`)
      const asked = (): number => hooks.calls.filter((call) => call.path === path).length
      const askedMore = async (): Promise<number> => {
        const before = asked()
        await must('POST', `${MAPS}?dryRun=All`, probe)
        return asked() - before
      }
      await expect.poll(askedMore).toBe(0)
    }
  }

  const map = (name: string, more: object = {}): object => ({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name },
    ...more,
  })

  it('stores what a webhook made of an object, with the defaults of what it added', async () => {
    const container = { name: 'sidecar', image: 'side:1' }
    const patch = patchWith([{ op: 'add', path: '/spec/containers/-', value: container }])
    await withHook('mutating', { behaviour: patch, resources: ['pods'] }, async () => {
      await must('POST', '/api/v1/namespaces/default/pods', {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name: 'mutated' },
        spec: { containers: [{ name: 'main', image: 'main:1' }] },
      })
    })
    const pod = await must('GET', '/api/v1/namespaces/default/pods/mutated')
    expect(pod).toMatchObject({
      spec: {
        containers: [
          { name: 'main' },
          { ...container, imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/dev/termination-log' },
        ],
      },
    })
    await must('DELETE', '/api/v1/namespaces/default/pods/mutated?gracePeriodSeconds=0')
  })

  it('asks once about every way to write (W-489)', async () => {
    const base = '/apis/apps/v1/namespaces/default/deployments'
    const deployment = {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    }
    const label = (value: string): object => ({ metadata: { labels: { v: value } } })
    const ways: readonly [string, string, string, object | undefined, string, string][] = [
      ['create', 'POST', base, deployment, 'application/json', 'CREATE '],
      ['a merge patch', 'PATCH', `${base}/d`, label('1'), 'application/merge-patch+json', 'UPDATE '],
      ['a strategic patch', 'PATCH', `${base}/d`, label('2'), 'application/strategic-merge-patch+json', 'UPDATE '],
      [
        'a JSON patch',
        'PATCH',
        `${base}/d`,
        [{ op: 'add', path: '/metadata/labels/v', value: '3' }],
        'application/json-patch+json',
        'UPDATE ',
      ],
      [
        'an apply',
        'PATCH',
        `${base}/d?fieldManager=me&force=true`,
        { apiVersion: 'apps/v1', kind: 'Deployment', ...label('4') },
        'application/apply-patch+yaml',
        'UPDATE ',
      ],
      [
        'an apply that creates',
        'PATCH',
        `${base}/d2?fieldManager=me`,
        { ...deployment, metadata: { name: 'd2' } },
        'application/apply-patch+yaml',
        'CREATE ',
      ],
      [
        'status',
        'PATCH',
        `${base}/d/status`,
        { status: { replicas: 1 } },
        'application/merge-patch+json',
        'UPDATE status',
      ],
      ['scale', 'PATCH', `${base}/d/scale`, { spec: { replicas: 3 } }, 'application/merge-patch+json', 'UPDATE scale'],
      ['delete', 'DELETE', `${base}/d2`, undefined, 'application/json', 'DELETE '],
      ['deletecollection', 'DELETE', base, undefined, 'application/json', 'DELETE '],
    ]
    for (const kind of ['mutating', 'validating'] as const) {
      const hook = { behaviour: ALLOW, resources: ['deployments', 'deployments/*'], rule: { apiGroups: ['apps'] } }
      await withHook(kind, hook, async (calls) => {
        for (const [name, method, path, body, type, told] of ways) {
          const before = calls().length
          await must(method, path, body, type)
          const seen = calls()
            .slice(before)
            .map(({ review: { request } }) => {
              const { operation, subResource = '' } = request as unknown as Record<string, string>
              return `${operation} ${subResource}`
            })
          expect([kind, name, ...seen]).toEqual([kind, name, told])
        }
      })
    }
  })

  it('shows the object that was stored before, whatever becomes of the new one (W-489)', async () => {
    await must('POST', MAPS, map('aliased', { data: { a: '1' } }))
    const stored = await must('GET', `${MAPS}/aliased`)
    const patch = patchWith([{ op: 'replace', path: '/data/a', value: 'patched' }])
    await withHook('mutating', { behaviour: patch, resources: ['configmaps'] }, async (mutating) => {
      await withHook('validating', { behaviour: ALLOW, resources: ['configmaps'] }, async (validating) => {
        await must('PATCH', `${MAPS}/aliased`, { data: { a: '2' } }, 'application/merge-patch+json')
        const [first, last] = [mutating().at(-1)?.review.request, validating().at(-1)?.review.request]
        expect(first?.oldObject).toEqual(stored)
        expect(first?.object?.['data']).toEqual({ a: '2' })
        expect(last?.oldObject).toEqual(stored)
        expect(last?.object?.['data']).toEqual({ a: 'patched' })
      })
    })
    await must('DELETE', `${MAPS}/aliased`)
  })

  it('shows objects in the version that the webhook knows (W-484)', async () => {
    const rule = { apiGroups: ['autoscaling'], apiVersions: ['v1'] }
    const hook = { behaviour: ALLOW, resources: ['horizontalpodautoscalers'], rule }
    await withHook('validating', hook, async (calls) => {
      await must('POST', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers?dryRun=All', {
        kind: 'HorizontalPodAutoscaler',
        apiVersion: 'autoscaling/v2',
        metadata: { name: 'h' },
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          ],
        },
      })
      expect(calls().at(-1)?.review.request).toMatchObject({
        kind: { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
        requestKind: { version: 'v2' },
        requestResource: { version: 'v2' },
        object: { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 50 } },
      })
    })
  })

  it('gives a generated name to validating webhooks alone (W-491)', async () => {
    const generated = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { generateName: 'made-' } }
    for (const [kind, name] of [
      ['mutating', undefined],
      ['validating', expect.stringMatching(/^made-.{5}$/)],
    ] as const) {
      await withHook(kind, { behaviour: ALLOW, resources: ['configmaps'] }, async (calls) => {
        await must('POST', `${MAPS}?dryRun=All`, generated)
        const { name: told } = calls().at(-1)!.review.request as { readonly name?: string }
        expect(told).toEqual(name)
      })
    }
  })

  it('answers as the webhook says, warnings included (W-493, W-497)', async () => {
    const status = { code: 409, reason: 'Conflict', message: 'not now' }
    const refuse = respond({ allowed: false, status, warnings: ['say please'] })
    await withHook('validating', { behaviour: refuse, resources: ['secrets'] }, async () => {
      const answer = await send('POST', '/api/v1/namespaces/default/secrets', {
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { name: 's' },
      })
      expect(answer.status).toBe(409)
      expect(answer.headers['warning']).toBe('299 - "say please"')
      expect(JSON.parse(answer.body)).toMatchObject({
        status: 'Failure',
        reason: 'Conflict',
        message: expect.stringContaining('denied the request: not now') as unknown,
        code: 409,
      })
    })
  })

  it('keeps what a webhook does not let go (W-318, W-498)', async () => {
    await must('POST', MAPS, map('kept'))
    await withHook(
      'validating',
      { behaviour: denyWith({ message: 'stay' }), resources: ['configmaps'], rule: { operations: ['DELETE'] } },
      async () => {
        expect((await send('DELETE', `${MAPS}/kept`)).status).toBe(400)
        expect((await send('DELETE', `${MAPS}?fieldSelector=metadata.name=kept`)).status).toBe(400)
      },
    )
    await must('DELETE', `${MAPS}/kept`)
  })

  it('ends a delete of several with the first refusal, and passes over what is gone by then (W-341)', async () => {
    const isGone = async (name: string): Promise<boolean> => (await send('GET', `${MAPS}/${name}`)).status === 404
    const refuse = denyWith({ message: 'stay' })
    let isTaken = false
    const behaviour: Behaviour = (review, out) => {
      const { name } = (review.request.oldObject as { metadata: { name: string } }).metadata
      // The others go meanwhile.
      if (name === 'held') {
        void expect
          .poll(() => isGone('first'))
          .toBe(true)
          .then(() => refuse(review, out))
      } else if (name === 'taken' && !isTaken) {
        isTaken = true
        void must('DELETE', `${MAPS}/taken`).then(() => ALLOW(review, out))
      } else ALLOW(review, out)
    }
    const labelled = (name: string, batch: string): object => map(name, { metadata: { name, labels: { batch } } })
    for (const name of ['first', 'held']) await must('POST', MAPS, labelled(name, '1'))
    for (const name of ['other', 'taken']) await must('POST', MAPS, labelled(name, '2'))
    await withHook(
      'validating',
      { behaviour, resources: ['configmaps'], rule: { operations: ['DELETE'] } },
      async () => {
        const refused = await send('DELETE', `${MAPS}?labelSelector=batch%3D1`)
        expect([refused.status, refused.body]).toEqual([400, expect.stringContaining('stay')])
        expect([await isGone('first'), await isGone('held')]).toEqual([true, false])
        expect((await send('DELETE', `${MAPS}?labelSelector=batch%3D2`)).status).toBe(200)
        expect([isTaken, await isGone('other'), await isGone('taken')]).toEqual([true, true, true])
      },
    )
    await must('DELETE', `${MAPS}/held`)
  })

  it('stores nothing that a webhook refused or did not answer (W-494, D25)', async () => {
    for (const behaviour of [denyWith(), answerWith(500, 'x'), answerWith(302, '', { location: hooks.url }), HANG]) {
      await withHook('validating', { behaviour, resources: ['secrets'], more: { timeoutSeconds: 1 } }, async () => {
        const secret = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'never' } }
        expect((await send('POST', '/api/v1/namespaces/default/secrets', secret)).status).toBeGreaterThanOrEqual(400)
        expect((await send('GET', '/api/v1/namespaces/default/secrets/never')).status).toBe(404)
      })
    }
  })

  it('asks about connections too (W-449)', async () => {
    const rule = { operations: ['CONNECT'] }
    const refuse = { behaviour: denyWith({ message: 'no shells', code: 403 }), resources: ['pods/exec'], rule }
    await withHook('validating', refuse, async (calls) => {
      const answer = await send('POST', '/api/v1/namespaces/default/pods/p/exec?command=sh&command=-c&stdin=true')
      expect([answer.status, answer.json()['message']]).toEqual([
        403,
        expect.stringContaining('denied the request: no shells'),
      ])
      expect(calls().at(-1)?.review.request).toMatchObject({
        operation: 'CONNECT',
        kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
        subResource: 'exec',
        name: 'p',
        object: { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true, command: ['sh', '-c'] },
        oldObject: null,
        options: null,
      })
    })
  })

  it('mends what a webhook breaks of the record of owners of fields (W-247)', async () => {
    const value = [{ manager: 'x', operation: 'Frobnicate' }]
    const patch = patchWith([{ op: 'replace', path: '/metadata/managedFields', value }])
    await withHook('mutating', { behaviour: patch, resources: ['configmaps'] }, async () => {
      const answer = await send('POST', `${MAPS}?fieldManager=me`, map('mended', { data: { a: '1' } }))
      expect(answer.headers['warning']).toContain('.metadata.managedFields was in an invalid state after admission')
      expect(answer.json()).toMatchObject({ metadata: { managedFields: [{ manager: 'me', operation: 'Update' }] } })
    })
    await must('DELETE', `${MAPS}/mended`)
  })

  it('counts what it asks', async () => {
    await withHook('validating', { behaviour: denyWith({ code: 418 }), resources: ['secrets'] }, async () => {
      await send('POST', '/api/v1/namespaces/default/secrets', {
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { name: 's' },
      })
      const { body } = await send('GET', '/metrics')
      const labels = `name="hook-${count}.example.com",type="validating",operation="CREATE"`
      expect(body).toContain(
        `apiserver_admission_webhook_rejection_count{${labels},error_type="no_error",rejection_code="418"} 1`,
      )
      expect(body).toContain(`apiserver_admission_webhook_request_total{${labels},code="418",rejected="true"} 1`)
    })
  })

  it('gives up with the request where that may take less time than the webhook', async () => {
    await withHook('validating', { behaviour: HANG, resources: ['secrets'] }, async () => {
      const secret = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'never' } }
      const answer = await send('POST', '/api/v1/namespaces/default/secrets?timeout=1s', secret)
      expect(answer.status).toBe(504)
    })
  })
})
