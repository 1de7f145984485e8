// What the client refuses before it sends anything: names and namespaces that are missing or would change the path, and options that do not
// exist. Programs in JavaScript reach these at run time; the types refuse most of them too.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client, k8s, type KubernetesObject, type Resource } from '../../src/client/client.ts'
import { type RequestRecord, type Server, startServer } from '../../src/index.ts'
import { applyYaml, eventually, waitFor } from '../../src/library/testing/testing.ts'

let server: Server
let client: Client
let requests: RequestRecord
let before: unknown

/** As a program in JavaScript has it. */
const NONE = undefined as unknown as string
const maps = () => client.resource(k8s.ConfigMap)
const here = () => maps().inNamespace('default')
const map = (metadata: k8s.ObjectMeta) => ({ metadata, data: { text: 'new' } })

beforeAll(async () => {
  server = await startServer()
  client = server.client()
  for (const namespace of ['default', 'kube-system']) {
    for (const name of ['a', 'b']) await maps().create({ metadata: { name, namespace }, data: { text: 'old' } })
  }
  before = (await maps().list()).items
  requests = server.recordRequests()
})

afterAll(() => server[Symbol.asyncDispose]())

/** Nothing was sent, and everything is there. */
async function expectRefused(call: () => unknown, message: string | RegExp): Promise<void> {
  requests.clear()
  await expect((async () => call())()).rejects.toThrow(message)
  expect(requests.lines()).toEqual([])
  expect((await maps().list()).items).toEqual(before)
}

/** A kubeconfig whose user has these members. */
const kubeconfigOf = (user: object) => ({
  'current-context': 'c',
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  users: [{ name: 'u', user }],
})

const APPLY = { fieldManager: 'test' }
const last = async (events: AsyncIterable<unknown>): Promise<void> => {
  for await (const _event of events) break
}

/** Every call that takes the name of an object. */
const NAMED: Readonly<Record<string, (resource: Resource<k8s.ConfigMap>, name: string) => unknown>> = {
  get: (resource, name) => resource.get(name),
  delete: (resource, name) => resource.delete(name),
  patch: (resource, name) => resource.patch(name, { data: null }),
  update: (resource, name) => resource.update(map({ name })),
  apply: (resource, name) => resource.apply(map({ name }), APPLY),
  'status.get': (resource, name) => resource.status.get(name),
  'status.update': (resource, name) => resource.status.update(name, map({}) as never),
  'status.patch': (resource, name) => resource.status.patch(name, {}),
  'status.apply': (resource, name) => resource.status.apply(name, {}, APPLY),
  'scale.get': (resource, name) => resource.subresource('scale').get(name),
  'eviction.create': (resource, name) => resource.subresource('eviction').create(name, { metadata: {} }),
  'log.get': (resource, name) => resource.subresource('log').get(name),
}

/** Every call that may select one object. */
const SELECTING: typeof NAMED = {
  'watch by name': (resource, name) => last(resource.watch({ fieldSelector: { 'metadata.name': name } })),
  'list by name': (resource, name) => resource.list({ fieldSelector: { 'metadata.name': name } }),
  'informer by name': (resource, name) => resource.informer({ fieldSelector: { 'metadata.name': name } }),
}

describe.each(Object.entries({ ...NAMED, ...SELECTING }))('%s', (_verb, call) => {
  it.each([
    ['undefined', NONE],
    ['null', null as unknown as string],
    ['empty', ''],
  ])('needs a name that is not %s', (_what, name) =>
    expectRefused(() => call(here(), name), /^(\w+) of ConfigMap: the (selector's metadata\.)?name is missing \(it is/),
  )
})

describe.each(Object.entries(NAMED))('%s', (_verb, call) => {
  it('takes no name that changes the path', async () => {
    for (const name of ['.', '..', 'a/status', 'a%2fstatus', '/', '\ud800', 7 as unknown as string]) {
      await expectRefused(() => call(here(), name), /^\w+ of ConfigMap: name must be a text without/)
    }
  })

  it('needs a namespace', () => expectRefused(() => call(maps(), 'a'), /^\w+ of ConfigMap: the namespace is missing/))
})

describe('a namespace', () => {
  it.each([NONE, '', null as unknown as string])('is not %j', (namespace) =>
    expectRefused(() => maps().inNamespace(namespace), 'inNamespace of ConfigMap: the namespace is missing'),
  )

  it.each(['.', '..', 'a/b', 'kube%2dsystem'])('is not %j', (namespace) =>
    expectRefused(
      () => maps().inNamespace(namespace),
      'inNamespace of ConfigMap: namespace must be a text without / and %',
    ),
  )

  it.each(['create', 'update', 'apply'] as const)('of an object to %s is that of the resource', async (verb) => {
    const write = (namespace: string) => here()[verb](map({ name: 'a', namespace }), APPLY)
    await expectRefused(
      () => write('kube-system'),
      `${verb} of ConfigMap: the object is in namespace "kube-system", not in "default"`,
    )
    await expectRefused(() => write(''), `${verb} of ConfigMap: the namespace is missing (it is empty)`)
    await expectRefused(
      () => maps()[verb](map({ name: 'a', namespace: '..' }), APPLY),
      `${verb} of ConfigMap: namespace must be`,
    )
  })

  it('is needed to create and to delete a collection', async () => {
    await expectRefused(() => maps().create(map({ name: 'c' })), 'create of ConfigMap: the namespace is missing')
    await expectRefused(() => maps().deleteCollection(), 'deleteCollection of ConfigMap: the namespace is missing')
  })

  it.each<[string, () => unknown]>([
    ['deleteCollection', () => client.resource(k8s.ClusterRole).inNamespace('default').deleteCollection()],
    ['delete', () => client.resource(k8s.ClusterRole).inNamespace('default').delete('view')],
    ['list', () => client.resource(k8s.ClusterRole).inNamespace('default').list()],
  ])('a namespace of what belongs to the whole cluster: %s', async (verb, call) => {
    await expectRefused(call, `${verb} of ClusterRole: ClusterRole belongs to the whole cluster: leave out inNamespace`)
  })
})

describe('an object', () => {
  it.each(['create', 'update', 'apply'] as const)('to %s needs metadata', (verb) =>
    expectRefused(
      () => here()[verb]({} as k8s.ConfigMap, APPLY),
      `${verb} of ConfigMap: the object's metadata is missing`,
    ),
  )

  it.each(['update', 'apply'] as const)('to %s needs a name', (verb) =>
    expectRefused(() => here()[verb](map({}), APPLY), `${verb} of ConfigMap: the name is missing`),
  )
})

describe('a kind that discovery would be asked for', () => {
  const widgets = () => client.resource({ group: 'example.com', version: 'v1', kind: 'Widget' })

  it('is not asked for where a name is missing', async () => {
    await expectRefused(() => widgets().inNamespace('default').delete(''), 'delete of Widget: the name is missing')
    await expectRefused(
      () => widgets().update({ metadata: { name: 'a', namespace: '' } }),
      'update of Widget: the namespace',
    )
  })

  it.each([
    [undefined, 'give the plural'],
    [{ group: '', version: '', plural: 'configmaps' }, 'client.resource: the version is missing'],
    [{ group: '', version: 'v1', plural: '' }, 'client.resource: the plural is missing'],
    [{ version: 'v1', plural: 'configmaps' }, 'client.resource: the group is missing'],
    [{ group: '', version: 'v1', plural: 'namespaces/default/configmaps' }, 'client.resource: plural must be'],
  ])('%j is none', (kind, message) => expectRefused(() => client.resource(kind as never), message))

  it('has a subresource with a name', async () => {
    await expectRefused(
      () => here().subresource('').patch('a', { data: null }),
      'patch of ConfigMap: the subresource is missing',
    )
    await expectRefused(() => here().subresource('../b').get('a'), 'get of ConfigMap: subresource must be')
  })
})

describe('a delete', () => {
  it.each([
    [{ dryrun: true }, 'delete of ConfigMap: there is no option "dryrun"; did you mean dryRun?'],
    [{ dryRun: 'All' }, 'dryRun must be true or false, not "All"'],
    [{ labelSelector: 'app=web' }, 'delete of ConfigMap: there is no option "labelSelector"'],
    [{ preconditions: { uid: undefined } }, 'delete of ConfigMap: preconditions: the uid is missing'],
    [{ preconditions: { resourceVersion: '' } }, 'delete of ConfigMap: preconditions: the resourceVersion is missing'],
    [{ preconditions: { resourceversion: '1' } }, 'no option "resourceversion"; did you mean resourceVersion?'],
  ])('does not take %j', (options, message) => expectRefused(() => here().delete('a', options as never), message))

  it.each([
    [{ labelSelector: undefined }, 'the labelSelector is missing (it is undefined)'],
    [{ labelSelector: {} }, 'labelSelector must be a text that is not empty or an object that is not empty'],
    [{ fieldSelector: ' ' }, 'fieldSelector must be a text that is not empty or an object that is not empty'],
    [{ labelSelector: { app: undefined } }, "deleteCollection of ConfigMap: the selector's app is missing"],
    [{ fieldSelector: ' , ,' }, 'fieldSelector must be a text that is not empty or an object that is not empty'],
    [{ labelSelector: ',' }, 'labelSelector must be a text that is not empty or an object that is not empty'],
    [{ labelSelector: '\0app=a' }, 'labelSelector must be a text that is not empty or an object that is not empty'],
    [{ labelSelector: { 'app!': 'a' } }, '"app!" is not a name of a label or field'],
    [{ fieldSelector: { 'metadata.name!': 'a' } }, '"metadata.name!" is not a name of a label or field'],
    [{ labelselector: 'app=web' }, 'no option "labelselector"; did you mean labelSelector?'],
    [{ limit: 1 }, 'deleteCollection of ConfigMap: there is no option "limit"'],
    [{ dryRun: 'All' }, 'dryRun must be true or false'],
  ])('of a collection does not take %j', (options, message) =>
    expectRefused(() => here().deleteCollection(options as never), message),
  )
})

describe('a body that JSON would change', () => {
  const path = '/api/v1/namespaces/default/configmaps'
  it.each<[string, unknown]>([
    ['a Map', new Map([['dryRun', ['All']]])],
    ['parameters', new URLSearchParams({ dryRun: 'All' })],
    ['a Buffer', Buffer.from('{"dryRun":["All"]}')],
    ['a stream', new Blob(['{"dryRun":["All"]}']).stream()],
    ['a function', () => ({ dryRun: ['All'] })],
    ['an undefined member', { preconditions: { uid: undefined } }],
    ['a Set as a member', { dryRun: new Set(['All']) }],
  ])('is not sent to delete a collection: %s', (_what, body) =>
    expectRefused(() => client.request({ method: 'DELETE', path, body }), /body('s \w+)? (must be|is missing)/),
  )

  it.each<[string, unknown]>([
    ['a Map', new Map([['text', 'new']])],
    ['not a number', NaN],
    ['a symbol', Symbol('new')],
    ['a list with undefined', [undefined]],
  ])('is not sent in an object: %s', async (_what, data) => {
    const object = { metadata: { name: 'a' }, data } as never
    const message = /body's (data|0) (must be|is missing)/
    await expectRefused(() => here().update(object), message)
    await expectRefused(() => here().patch('a', { data }), message)
    await expectRefused(() => here().apply(object, APPLY), message)
  })
})

describe('options that do not exist', () => {
  it.each<[string, (options: never) => unknown]>([
    ['get', (options) => here().get('a', options)],
    ['list', (options) => here().list(options)],
    ['watch', (options) => last(here().watch(options))],
    ['informer', (options) => here().informer(options)],
    ['create', (options) => here().create(map({ name: 'c' }), options)],
    ['update', (options) => here().update(map({ name: 'a' }), options)],
    ['patch', (options) => here().patch('a', { data: null }, options)],
    ['apply', (options) => here().apply(map({ name: 'a' }), { ...APPLY, ...(options as object) })],
    ['update', (options) => here().status.update('a', map({}) as never, options)],
  ])('%s', (verb, call) =>
    expectRefused(() => call({ signl: 1 } as never), `${verb} of ConfigMap: there is no option "signl"`),
  )

  it.each(['create', 'update', 'apply'] as const)('%s: a dry run as kubectl has it', (verb) =>
    expectRefused(
      () => here()[verb](map({ name: 'a' }), { ...APPLY, dryRun: 'All' as never }),
      'dryRun must be true or false',
    ),
  )

  it('apply: no field manager', () =>
    expectRefused(
      () => here().apply(map({ name: 'a' }), undefined as never),
      'apply of ConfigMap: the fieldManager is missing',
    ))

  it('a request', () =>
    expectRefused(
      () => client.request({ method: 'DELETE', path: '/', quer: {} } as never),
      'client.request: there is no option "quer"; did you mean query?',
    ))

  it.each([
    [{ tokn: 't' }, 'new Client: there is no option "tokn"; did you mean token?'],
    [{ url: undefined }, 'new Client: the url is missing (it is undefined)'],
    [{ kubeconfig: '' }, 'new Client: the kubeconfig is missing (it is empty)'],
    [{ url: 'https://127.0.0.1:1', impersonate: { user: '' } }, 'impersonate: the user is missing'],
    [{ url: 'https://127.0.0.1:1', impersonate: undefined }, 'new Client: the impersonate is missing'],
    [{ url: 'https://127.0.0.1:1', kubeconfig: '/nope' }, '"kubeconfig" has no effect beside a url'],
    [{ url: 'https://127.0.0.1:1', context: 'other' }, '"context" has no effect beside a url'],
    [{ kubeconfig: '/nope', token: 'x' }, '"token" has no effect beside a kubeconfig'],
    [{ kubeconfig: '/nope', ca: 'x' }, '"ca" has no effect beside a kubeconfig'],
    [{ kubeconfig: kubeconfigOf({ 'as-groups': ['system:masters'] }) }, 'the kubeconfig has as-groups without as'],
    [{ kubeconfig: kubeconfigOf({ as: 'ann', 'as-uid': '7' }) }, 'the kubeconfig has as-uid, which is not supported'],
    [{ kubeconfig: kubeconfigOf({ username: 'ann', password: 'x' }) }, 'the kubeconfig has username, which is not'],
    [{ kubeconfig: kubeconfigOf({ exec: {} }) }, 'exec: the command is missing'],
    [
      { url: 'https://127.0.0.1:1', impersonate: { usr: 'ann' } },
      'impersonate: there is no option "usr"; did you mean user?',
    ],
  ])('a client %j', (options, message) => expectRefused(() => new Client(options as never), message))

  it.each([
    [{ identity: '' }, 'runAsLeader: the identity is missing'],
    [{ name: undefined }, 'runAsLeader: the name is missing'],
    [{ namespace: '' }, 'runAsLeader: the namespace is missing'],
    [{ leaseDuration: 1 }, 'no option "leaseDuration"; did you mean leaseDurationMs?'],
  ])('leader election %j', (options, message) => {
    const lease = { namespace: 'default', name: 'lease', identity: 'one', ...options } as never
    return expectRefused(() => client.runAsLeader(lease, () => Promise.resolve()), message)
  })
})

describe('waiting', () => {
  const target = (name: string, namespace: string) => ({ kind: k8s.ConfigMap, name, namespace })

  it.each([
    ['a name', () => waitFor(client, target('', 'default'), 'deleted'), 'name is missing'],
    ['a name that is given', () => eventually(client, target(NONE, 'default'), {}), 'name is missing'],
    ['a namespace', () => waitFor(client, target('a', ''), 'exists'), 'the namespace is missing'],
    [
      'a namespace of a built-in kind',
      () => waitFor(client, target('a', NONE), 'exists'),
      'in which namespace is ConfigMap a?',
    ],
    [
      'options that exist',
      () => waitFor(client, target('a', 'default'), 'exists', { timeout: 1 } as never),
      'no option "timeout"; did you mean timeoutMs?',
    ],
    [
      'options of YAML that exist',
      () => applyYaml(client, 'kind: X', { namspace: 'x' } as never),
      'applyYaml: there is no option "namspace"; did you mean namespace?',
    ],
  ])('needs %s', (_what, call, message) => expectRefused(call, message))

  it('is refused at once for a namespace of what belongs to the whole cluster', async () => {
    const object = { kind: k8s.ClusterRole, name: 'view', namespace: 'default' }
    await expect(waitFor(client, object, 'exists', { timeoutMs: 60_000 })).rejects.toThrow(
      'ClusterRole belongs to the whole cluster: leave out inNamespace("default")',
    )
  })

  it('needs the namespace of an object whose kind has namespaces', async () => {
    const object: KubernetesObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
    await expect(waitFor(client, object, 'exists')).rejects.toThrow('in which namespace is ConfigMap a?')
  })
})

describe('a kind that the server does not have', () => {
  const message =
    /the server has no (kind )?(widgets|Widget) in example\.com\/v1: is its CustomResourceDefinition installed\?/
  const byPlural = () =>
    client.resource({ group: 'example.com', version: 'v1', plural: 'widgets' }).inNamespace('default')
  const byKind = () => client.resource({ group: 'example.com', version: 'v1', kind: 'Widget' }).inNamespace('default')

  it.each<[string, (resource: Resource<KubernetesObject>) => unknown]>([
    ['get', (resource) => resource.get('a')],
    ['list', (resource) => resource.list()],
    ['create', (resource) => resource.create({ metadata: { name: 'a' } })],
    ['apply', (resource) => resource.apply({ metadata: { name: 'a' } }, APPLY)],
    ['delete', (resource) => resource.delete('a')],
    ['watch', (resource) => last(resource.watch({ resourceVersion: '1' }))],
  ])('is named by %s', async (_verb, call) => {
    await expect((async () => call(byPlural()))()).rejects.toThrow(message)
    await expect((async () => call(byKind()))()).rejects.toThrow(message)
  })

  it('is named by applyYaml, with one that is near', async () => {
    const yaml = (apiVersion: string, kind: string) =>
      `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: a}}\n`
    await expect(applyYaml(server, yaml('example.com/v1', 'Widget'))).rejects.toThrow(
      'document 1, Widget a: discovery: the server has no kind Widget in example.com/v1: is its CustomResourceDefinition installed?',
    )
    await expect(applyYaml(server, yaml('apps/v1', 'Deploymnet'))).rejects.toThrow(
      'the server has no kind Deploymnet in apps/v1; did you mean Deployment?',
    )
    await expect(applyYaml(server, yaml('v1', 'Deployment'))).rejects.toThrow('the server has no kind Deployment in v1')
  })

  it('is named by what waits for it', async () => {
    const target = { kind: { group: 'example.com', version: 'v1', plural: 'widgets' }, name: 'a', namespace: 'default' }
    await expect(waitFor(client, target, 'exists', { timeoutMs: 200 })).rejects.toThrow(message)
  })

  it('is told apart from an object that is not there', async () => {
    await expect(here().get('none')).rejects.toMatchObject({
      reason: 'NotFound',
      message: expect.stringContaining('"none" not found') as string,
    })
    await expect(here().subresource('nope').get('a')).rejects.toThrow(
      'get of ConfigMap: the server has no subresource nope of ConfigMap in v1',
    )
  })

  it('may need a namespace', async () => {
    const plain = client.resource<k8s.ConfigMap>({ group: '', version: 'v1', plural: 'configmaps' })
    await expect(plain.create(map({ name: 'c' }))).rejects.toThrow(
      'if configmaps has namespaces, say resource.inNamespace(…)',
    )
    await expect(plain.deleteCollection()).rejects.toThrow('if configmaps has namespaces, say resource.inNamespace(…)')
  })
})

it('deletes what is named, and a collection where it is told to', async () => {
  await using fork = await server.fork()
  const forked = fork.client().resource(k8s.ConfigMap)
  await forked.inNamespace('default').delete('a')
  await forked.inNamespace('kube-system').deleteCollection()
  const left = (await forked.list()).items.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`)
  expect(left.filter((one) => /\/[ab]$/.test(one))).toEqual(['default/b'])
})

it('acts as the user that is told beside a kubeconfig', async () => {
  using jane = new Client({ kubeconfig: server.kubeconfig(), impersonate: { user: 'jane' } })
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const { text } = await jane.request({ method: 'POST', path, body: review })
  expect(JSON.parse(text)).toMatchObject({ status: { userInfo: { username: 'jane' } } })
})

it('sends a header in the place of its own, however it is spelled', async () => {
  using remote = new Client(server.credentials())
  for (const sender of [client, remote]) {
    const headers = { Authorization: 'Bearer unknown' }
    await expect(sender.request({ method: 'GET', path: '/api', headers })).rejects.toMatchObject({ code: 401 })
  }
})

it.each(['workers=2', 'healthz-port=1', 'kubeconfig-out=x'])('a server in this process takes no --%s', async (flag) => {
  await expect(startServer({ flags: [`--${flag}`] })).rejects.toThrow(
    `--${flag.replace(/=.*/, '')} is for quarterdeck serve alone`,
  )
})

it('waits for a condition that is a promise', async () => {
  const target = { kind: k8s.ConfigMap, name: 'a', namespace: 'default' }
  const never = async (): Promise<boolean> => false
  await expect(waitFor(client, target, never, { timeoutMs: 300 })).rejects.toThrow('the condition is false')
})
