// Functions in the place of webhooks, in the process of the server.
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { ValueMap } from '../../src/api/value.ts'
import { type ApiStatusError, k8s } from '../../src/client/client.ts'
import { defineResource } from '../../src/define/define.ts'
import type { AdmissionRequest } from '../../src/extensions/extensions.ts'
import { type Log, type Server, startServer } from '../../src/index.ts'

interface Logged {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A server, and what it logs as warnings and errors. */
async function open(): Promise<{ readonly server: Server; readonly logged: Logged[] }> {
  const logged: Logged[] = []
  const note = (fields: Logged['fields'], message: string): void => void logged.push({ message, fields })
  const log: Log = { debug: () => {}, info: () => {}, warn: note, error: note }
  const server = await startServer({ log })
  onTestFinished(() => server.stop())
  return { server, logged }
}

const mapsOf = (server: Server) => server.client().resource(k8s.ConfigMap).inNamespace('default')

/** What the request fails with. */
async function refusal(request: Promise<unknown>): Promise<{ code: number; reason: string; message: string }> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  const { code, reason, message } = error as ApiStatusError
  // The client puts the request before what the server says.
  return { code, reason, message: message.slice(message.indexOf(': ') + 2) }
}

describe('server.admit', () => {
  it('has a function refuse writes, until it is disposed of', async () => {
    const { server } = await open()
    const maps = mapsOf(server)
    const rule = server.admit({ name: 'no-secrets.example.com', resource: k8s.ConfigMap }, ({ object }) =>
      object.data?.['password'] === undefined
        ? undefined
        : { allowed: false, message: 'put passwords into secrets', code: 403, reason: 'Forbidden' },
    )
    await maps.create({ metadata: { name: 'a' }, data: { user: 'ann' } })
    const refused = { metadata: { name: 'b' }, data: { password: 'x' } }
    expect(await refusal(maps.create(refused))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'admission webhook "no-secrets.example.com" denied the request: put passwords into secrets',
    })
    rule[Symbol.dispose]()
    await maps.create(refused)
  })

  it('has functions change objects: whole, in place, or by a patch; in the order of their names', async () => {
    const { server } = await open()
    const note = (name: string) => (request: AdmissionRequest<k8s.ConfigMap, 'CREATE'>) => ({
      object: {
        ...request.object,
        data: { ...request.object.data, order: `${request.object.data?.['order'] ?? ''}${name}` },
      },
    })
    const rule = { type: 'mutating', resource: k8s.ConfigMap, operations: ['CREATE'] } as const
    server.admit({ ...rule, name: 'c' }, note('c'))
    server.admit({ ...rule, name: 'a' }, note('a'))
    server.admit({ ...rule, name: 'b' }, () => ({ patch: [{ op: 'add', path: '/data/order', value: 'b' }] }))
    server.admit({ ...rule, name: 'd' }, ({ object }) => {
      Object.assign(object.metadata, { labels: { touched: 'yes' } })
      return { object }
    })
    server.admit({ ...rule, name: 'e' }, ({ object }) => void Object.assign(object, { data: { lost: 'yes' } }))
    const made = await mapsOf(server).create({ metadata: { name: 'a' } })
    expect([made.data, made.metadata.labels]).toEqual([{ order: 'bc' }, { touched: 'yes' }])
  })

  it('shows validating functions what mutating ones made, with the old object, the user and the options', async () => {
    const { server } = await open()
    const maps = mapsOf(server)
    const seen: AdmissionRequest<k8s.ConfigMap, 'CREATE' | 'UPDATE' | 'DELETE'>[] = []
    server.admit({ name: 'z', type: 'mutating', resource: k8s.ConfigMap }, ({ object }) => ({
      object: { ...object, data: { ...object.data, changed: 'yes' } },
    }))
    const operations = ['CREATE', 'UPDATE', 'DELETE'] as const
    server.admit({ name: 'a', resource: k8s.ConfigMap, operations }, (request) => void seen.push(request))
    await maps.create({ metadata: { name: 'a' } })
    await maps.patch('a', { data: { more: '1' } }, { dryRun: true })
    await maps.delete('a')
    expect(seen.map(({ operation, dryRun }) => [operation, dryRun])).toEqual([
      ['CREATE', false],
      ['UPDATE', true],
      ['DELETE', false],
    ])
    const [created, updated, deleted] = seen
    expect(created).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      name: 'a',
      namespace: 'default',
      object: { data: { changed: 'yes' } },
      oldObject: null,
      options: { kind: 'CreateOptions' },
      userInfo: { groups: expect.arrayContaining(['system:masters']) as unknown },
    })
    expect(updated).toMatchObject({
      object: { data: { changed: 'yes', more: '1' } },
      oldObject: { metadata: { name: 'a' } },
    })
    expect(deleted).toMatchObject({ object: null, oldObject: { data: { changed: 'yes' } } })
  })

  it.each(['mutating', 'validating'] as const)(
    'shows %s functions who owns the fields, of large objects too',
    async (type) => {
      const { server } = await open()
      const owners: unknown[] = []
      server.admit({ name: 'a', type, resource: k8s.ConfigMap, operations: ['CREATE'] }, ({ object }) => {
        owners.push(
          object.metadata.managedFields?.map(({ fieldsV1 }) => Object.keys((fieldsV1 as ValueMap)['f:data']!)),
        )
      })
      const maps = mapsOf(server)
      await maps.create({ metadata: { name: 'small' }, data: { x: '1' } })
      await maps.create({ metadata: { name: 'large' }, data: { x: 'x'.repeat(200_000) } })
      expect(owners).toEqual([[['.', 'f:x']], [['.', 'f:x']]])
    },
  )

  it('asks a function again where a later one changed the object, if it wants that', async () => {
    const { server } = await open()
    const asked: string[] = []
    const rule = { type: 'mutating', resource: k8s.ConfigMap, operations: ['CREATE'] } as const
    for (const reinvocationPolicy of ['IfNeeded', 'Never'] as const) {
      server.admit(
        { ...rule, name: `a-${reinvocationPolicy}`, reinvocationPolicy },
        () => void asked.push(reinvocationPolicy),
      )
    }
    server.admit({ ...rule, name: 'b' }, ({ object }) => ({ object: { ...object, data: { x: '1' } } }))
    await mapsOf(server).create({ metadata: { name: 'a' } })
    expect(asked).toEqual(['IfNeeded', 'Never', 'IfNeeded'])
  })

  it('matches by rules, selectors and conditions, and not where they do not', async () => {
    const { server } = await open()
    const asked: string[] = []
    const ask = (name: string, more: object): void =>
      void server.admit({ name, resource: k8s.ConfigMap, operations: ['CREATE'], ...more }, () => void asked.push(name))
    ask('labelled', { objectSelector: { matchLabels: { app: 'web' } } })
    ask('elsewhere', { namespaceSelector: { matchLabels: { env: 'prod' } } })
    ask('short', { matchConditions: [{ name: 'short', expression: 'object.metadata.name.size() < 3' }] })
    ask('subresources', {
      resource: undefined,
      operations: undefined,
      rules: [rule('serviceaccounts/token', 'CREATE')],
    })
    ask('both', {
      resource: undefined,
      operations: undefined,
      rules: [rule('configmaps', '*'), rule('validatingwebhookconfigurations', '*')],
    })
    const maps = mapsOf(server)
    await maps.create({ metadata: { name: 'a' } })
    await maps.create({ metadata: { name: 'long', labels: { app: 'web' } } })
    expect(asked).toEqual(['both', 'short', 'both', 'labelled'])
    await server
      .client()
      .resource(k8s.ValidatingWebhookConfiguration)
      .create({ metadata: { name: 'none' } })
    expect(asked).toHaveLength(4)
  })

  const rule = (resource: string, operation: string): object => ({
    operations: [operation],
    apiGroups: ['*'],
    apiVersions: ['*'],
    resources: [resource],
  })

  it('asks about subresources that a rule names, as what they are written', async () => {
    const { server } = await open()
    const seen: unknown[] = []
    const apps = { operations: ['UPDATE'], apiGroups: ['apps'], apiVersions: ['v1'] } as const
    server.admit(
      { name: 'scales', rules: [{ ...apps, resources: ['deployments/scale'] }] },
      ({ kind, subResource, object }) => {
        seen.push([kind.kind, subResource, object])
      },
    )
    const labels = { app: 'web' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } }
    const deployments = server.client().resource(k8s.Deployment).inNamespace('default')
    await deployments.create({ metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template } })
    const path = '/apis/apps/v1/namespaces/default/deployments/web/scale'
    const headers = { 'content-type': 'application/merge-patch+json' }
    await server.client().request({ method: 'PATCH', path, headers, body: { spec: { replicas: 4 } } })
    expect(seen).toEqual([['Scale', 'scale', expect.objectContaining({ spec: { replicas: 4 } })]])
  })

  it('takes a function that throws, or takes too long, for a webhook that cannot be reached', async () => {
    const { server, logged } = await open()
    const maps = mapsOf(server)
    const fail = (): never => {
      throw new Error('secret detail')
    }
    const failing = server.admit({ name: 'failing', resource: k8s.ConfigMap }, fail)
    const { code, message } = await refusal(maps.create({ metadata: { name: 'a' } }))
    expect([code, message]).toEqual([
      500,
      'Internal error occurred: failed calling webhook "failing": failed to call webhook: the function failed; the log of the server has the reason',
    ])
    const fault = logged.find((line) => line.message === 'extension function failed')
    expect(fault?.fields['err']).toHaveProperty('stack', expect.stringContaining('library-extensions.test.ts'))
    failing[Symbol.dispose]()
    const slow = { name: 'slow', resource: k8s.ConfigMap, timeoutSeconds: 0.05 } as const
    const never = new Promise<undefined>(() => {})
    const failsClosed = server.admit(slow, () => never)
    expect((await refusal(maps.create({ metadata: { name: 'a' } }))).message).toContain('context deadline exceeded')
    failsClosed[Symbol.dispose]()
    server.admit({ ...slow, failurePolicy: 'Ignore' }, () => never)
    server.admit({ name: 'ignored', resource: k8s.ConfigMap, failurePolicy: 'Ignore' }, fail)
    await maps.create({ metadata: { name: 'a' } })
  })

  it('does not take a misspelled answer for a yes', async () => {
    const { server, logged } = await open()
    server.admit({ name: 'odd', resource: k8s.ConfigMap }, () => ({ deny: 'this' }) as object)
    expect((await refusal(mapsOf(server).create({ metadata: { name: 'a' } }))).code).toBe(500)
    expect(String(logged[0]?.fields['err'])).toContain('there is no deny')
  })

  it('gives warnings to the client, refuses dry runs to side effects, and counts as webhooks are counted', async () => {
    const { server } = await open()
    const seen: string[] = []
    const warned = server.client().resource(k8s.ConfigMap).inNamespace('default')
    server.admit({ name: 'warns', resource: k8s.ConfigMap, sideEffects: 'Some' }, () => {
      seen.push('asked')
      return { warnings: ['careful'], auditAnnotations: { why: 'because' } }
    })
    await warned.create({ metadata: { name: 'a' } })
    expect((await refusal(warned.create({ metadata: { name: 'b' } }, { dryRun: true }))).message).toContain(
      'does not support dry run',
    )
    expect(seen).toEqual(['asked'])
    const metrics = await server.client().request({ method: 'GET', path: '/metrics' })
    expect(metrics.text).toContain(
      'apiserver_admission_webhook_request_total{name="warns",type="validating",operation="CREATE",code="200",rejected="false"} 1',
    )
  })

  it('says what is wrong with a rule', async () => {
    const { server } = await open()
    const admit = (rule: object) => () => server.admit(rule as never, () => {})
    expect(admit({})).toThrow('admission function: its name must have 1 to 253 characters')
    expect(admit({ name: 'a' })).toThrow('admission function "a": say either its resource or its rules')
    expect(admit({ name: 'a', resource: k8s.Pod, type: 'other' })).toThrow('mutating or validating')
    expect(admit({ name: 'a', resource: { group: '', version: 'v1', kind: 'Pod' } })).toThrow('no plural')
    expect(admit({ name: 'a', resource: k8s.Pod, timeoutSeconds: 31 })).toThrow('at most 30')
    const matchConditions = [{ name: 'c', expression: 'object.' }]
    expect(admit({ name: 'a', resource: k8s.Pod, matchConditions })).toThrow(
      "a: expression 'object.': compilation error",
    )
  })
})

describe('server.authorize', () => {
  it('allows, denies and leaves the rest to others', async () => {
    const { server } = await open()
    const list = (name: string): Promise<unknown> =>
      server.client({ name }).resource(k8s.ConfigMap).inNamespace('default').list()
    const rule = server.authorize(({ user, resourceAttributes }) => {
      if (user === 'ann' && resourceAttributes?.resource === 'configmaps') return { allowed: true, reason: 'it is Ann' }
      return user === 'bob' ? { denied: true, reason: 'not Bob' } : undefined
    })
    await list('ann')
    expect((await refusal(list('bob'))).message).toContain('not Bob')
    expect((await refusal(list('carl'))).code).toBe(403)
    expect((await refusal(server.client('ann').resource(k8s.Secret).list())).code).toBe(403)
    await mapsOf(server).list()
    rule[Symbol.dispose]()
    expect((await refusal(list('ann'))).code).toBe(403)
  })

  it('fails closed where a function throws, unless it says otherwise', async () => {
    const { server, logged } = await open()
    server.authorize(() => ({ allowed: true }), { name: 'second' })
    const list = (): Promise<unknown> =>
      server.client({ name: 'ann' }).resource(k8s.ConfigMap).inNamespace('default').list()
    await list()
    const { server: other } = await open()
    other.authorize(() => Promise.reject(new Error('secret detail')))
    const failed = await refusal(other.client({ name: 'ann' }).resource(k8s.ConfigMap).list())
    expect([failed.code, failed.message]).toEqual([500, expect.not.stringContaining('secret detail')])
    expect(logged).toEqual([])
    const { server: third } = await open()
    third.authorize(() => Promise.reject(new Error('x')), { failurePolicy: 'NoOpinion' })
    third.authorize(() => ({ allowed: true }))
    await third.client({ name: 'ann' }).resource(k8s.ConfigMap).list()
  })
})

/** `size` in v1 is `length` in v2, which has a default that v1 does not know. */
const Plank = defineResource({
  group: 'example.com',
  kind: 'Plank',
  scope: 'Namespaced',
  versions: {
    v1: { spec: z.object({ size: z.int32() }) },
    v2: { spec: z.object({ length: z.int32(), wood: z.string().default('oak') }), storage: true },
  },
  convert: {
    'v1 -> v2': ({ spec }) => ({ spec: { length: spec.size } }),
    'v2 -> v1': ({ spec }) => ({ spec: { size: spec.length } }),
  },
})

describe('server.convert', () => {
  /** The client fills in which kind it is, and the server what has a default. */
  const plank = (sent: object): never => sent as never

  /** Creates the definition and waits until its objects are served. */
  async function define(server: Server, definition: object): Promise<void> {
    await server
      .client()
      .resource(k8s.CustomResourceDefinition)
      .create(definition as k8s.CustomResourceDefinition)
  }

  it('converts what defineResource made, in both directions, with the defaults of each version', async () => {
    const { server } = await open()
    server.convert(Plank)
    await define(server, Plank.definition)
    const v1 = server.client().resource(Plank.versions.v1).inNamespace('default')
    const v2 = server.client().resource(Plank.versions.v2).inNamespace('default')
    await v1.create(plank({ metadata: { name: 'a' }, spec: { size: 3 } }))
    expect((await v2.get('a')).spec).toEqual({ length: 3, wood: 'oak' })
    await v2.patch('a', { spec: { length: 5, wood: 'ash' } })
    expect((await v1.get('a')).spec).toEqual({ size: 5 })
    await v2.create(plank({ metadata: { name: 'b' }, spec: { length: 7 } }))
    expect((await v1.list()).items.map(({ spec }) => spec.size)).toEqual([5, 7])
  })

  it('converts what was stored before its version was changed, and shows tables of each version', async () => {
    const { server } = await open()
    server.convert(Plank)
    const { spec } = Plank.definition
    const storedAs = (storage: string) => spec.versions.map((each) => ({ ...each, storage: each.name === storage }))
    await define(server, { ...Plank.definition, spec: { ...spec, versions: storedAs('v1') } })
    const [v1, v2] = [Plank.versions.v1, Plank.versions.v2].map((kind) =>
      server.client().resource<never>(kind as never),
    )
    const place = '/apis/example.com'
    await v1!.inNamespace('default').create(plank({ metadata: { name: 'old' }, spec: { size: 3 } }))
    await server
      .client()
      .resource(k8s.CustomResourceDefinition)
      .patch('planks.example.com', { spec: { versions: storedAs('v2') } })
    await v2!.inNamespace('default').create(plank({ metadata: { name: 'new' }, spec: { length: 4, wood: 'ash' } }))
    const rows = async (version: string): Promise<unknown> => {
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
      const path = `${place}/${version}/namespaces/default/planks`
      const request = { method: 'GET', path, query: { includeObject: 'Object' }, headers: { accept } } as const
      const { text } = await server.client().request(request)
      const { rows: all } = JSON.parse(text) as { rows: { cells: unknown[]; object: { spec: object } }[] }
      return all.map(({ cells, object }) => [cells[0], object.spec])
    }
    expect(await rows('v1')).toEqual([
      ['new', { size: 4 }],
      ['old', { size: 3 }],
    ])
    expect(await rows('v2')).toEqual([
      ['new', { length: 4, wood: 'ash' }],
      ['old', { length: 3, wood: 'oak' }],
    ])
  })

  it('loses nothing where there is no function any more: objects of other versions cannot be had', async () => {
    const { server } = await open()
    const rule = server.convert(Plank)
    await define(server, Plank.definition)
    const v1 = server.client().resource(Plank.versions.v1).inNamespace('default')
    const v2 = server.client().resource(Plank.versions.v2).inNamespace('default')
    await v2.create(plank({ metadata: { name: 'a' }, spec: { length: 3 } }))
    expect((await v1.get('a')).spec).toEqual({ size: 3 })
    rule[Symbol.dispose]()
    expect((await refusal(v1.get('a'))).message).toContain('no-conversion-function.invalid')
    expect((await v2.get('a')).spec.length).toBe(3)
    server.convert(Plank)
    expect((await v1.get('a')).spec).toEqual({ size: 3 })
  })

  it('takes a plain function for a kind, one object at a time, in the place of its webhook', async () => {
    const { server, logged } = await open()
    await define(server, Plank.definition)
    const asked: string[] = []
    const rule = server.convert({ group: 'example.com', kind: 'Plank' }, (object, to) => {
      const { spec, metadata } = object as unknown as { spec: Record<string, number>; metadata: { name: string } }
      asked.push(`${metadata.name} to ${to}`)
      if (metadata.name === 'bad') throw new Error('secret detail')
      return { ...object, spec: to === 'v1' ? { size: spec['length'], odd: 1 } : { length: spec['size'] } }
    })
    const v1 = server.client().resource(Plank.versions.v1).inNamespace('default')
    const v2 = server.client().resource(Plank.versions.v2).inNamespace('default')
    await v2.create(plank({ metadata: { name: 'a' }, spec: { length: 1 } }))
    await v2.create(plank({ metadata: { name: 'b' }, spec: { length: 2 } }))
    expect((await v1.list()).items.map(({ spec }) => spec)).toEqual([{ size: 1 }, { size: 2 }])
    expect(asked).toEqual(['a to v1', 'b to v1'])
    await v2.create(plank({ metadata: { name: 'bad' }, spec: { length: 2 } }))
    expect(await refusal(v1.get('bad'))).toMatchObject({
      code: 500,
      message:
        'conversion webhook for example.com/v2, Kind=Plank failed: the function failed; the log of the server has the reason',
    })
    expect(logged.map(({ fields }) => fields['function'])).toEqual(['Plank.example.com'])
    rule[Symbol.dispose]()
    expect(() => server.convert({ group: 'a', kind: 'b' } as never)).toThrow('a kind and a function')
  })
})
