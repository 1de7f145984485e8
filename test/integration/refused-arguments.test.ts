// Every argument and option of the client, the library and the testing kit, with values that it cannot be: each is refused with a TypeError that
// names it, and nothing is sent. Programs in JavaScript reach these at run time.
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client, k8s, runController } from '../../src/client/client.ts'
import { type RequestRecord, type Server, startServer } from '../../src/index.ts'
import { applyYaml, eventually, serverFixtures, serverTest, waitFor } from '../../src/library/testing/testing.ts'

let server: Server
let client: Client
let requests: RequestRecord

beforeAll(async () => {
  server = await startServer({ clock: 'virtual' })
  client = server.client()
  for (const name of ['a', 'b']) await here().create({ metadata: { name }, data: {} })
  requests = server.recordRequests()
})

afterAll(() => server[Symbol.asyncDispose]())

const here = () => client.resource(k8s.ConfigMap).inNamespace('default')
const MAP = { metadata: { name: 'a' } }
const APPLY = { fieldManager: 'test' }
const URL_ = 'https://127.0.0.1:1'
const URLS: readonly unknown[] = ['u:p@127.0.0.1', 'u@127.0.0.1/base', '127.0.0.1/?a=b', '127.0.0.1/#a', '127.0.0.1?a']
  .map((rest) => `https://${rest}`)
  .concat('https:127.0.0.1')
const NAMED = { 'current-context': 'c', contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }] }
const CLUSTER = { ...NAMED, clusters: [{ name: 'c', cluster: { server: URL_ } }] }
const KUBECONFIGS: readonly unknown[] = [
  { ...NAMED, contexts: { c: {} } },
  { ...NAMED, contexts: [{ name: 'c', context: 'c' }] },
  { ...NAMED, clusters: [{ name: 'c', cluster: [] }] },
  { ...CLUSTER, users: 'u' },
  { ...CLUSTER, users: [{ name: 'u', user: 'u' }] },
  { ...CLUSTER, users: [{ name: 'u', user: { token: 5 } }] },
]
const LEASE = { namespace: 'default', name: 'lease', identity: 'me' }
const TARGET = { kind: k8s.ConfigMap, name: 'a', namespace: 'default' }
const lead = async () => {}
const CONTROLLER = {
  get client() {
    return client
  },
  for: k8s.ConfigMap,
  reconcile: lead,
  signal: AbortSignal.abort(),
}

const MAPS = '/api/v1/namespaces/default/configmaps'
/** Without a name, or with one that would be cut off. */
const UNNAMED: readonly string[] = ['/', '//', '%2f', '%2F/', '?', '/?x', '/#x', '#', '\\a', '//a', '?labelSelector=']
const PATHS: readonly unknown[] = [['/api'], 'api', '/a b', '/ü', '/a\r\n', '/', ...UNNAMED.map((end) => MAPS + end)]

/** No call takes any of these. */
const NOTHING: readonly unknown[] = [null, '']
const TEXTS: readonly unknown[] = [...NOTHING, 5, true, {}, [], Symbol('s')]
const RECORDS: readonly unknown[] = [...NOTHING, 5, true, 'text', [], new Map(), () => {}]
const FUNCTIONS: readonly unknown[] = [...NOTHING, 5, {}, 'text']
const NUMBERS: readonly unknown[] = [...NOTHING, -1, NaN, '5', {}]
const WHOLE: readonly unknown[] = [...NUMBERS, 1.5, Infinity]
const INTERVALS: readonly unknown[] = [...NUMBERS, 0, 2 ** 31, Infinity]
const SIGNALS: readonly unknown[] = [...NOTHING, 5, {}, new AbortController()]
const FLAGS: readonly unknown[] = [...NOTHING, 'All', 1, {}]
const SELECTORS: readonly unknown[] = [
  undefined,
  ...NOTHING,
  5,
  true,
  new Map([['a', 'b']]),
  ['a=b'],
  {},
  ' ',
  ',',
  '\0a=b',
  'a\0=b',
]
const NEEDED: readonly unknown[] = [undefined]

/** What is tried: the call, the name in the message, and the values. */
type Row = readonly [string, (value: never) => unknown, RegExp, readonly unknown[]]

/** Options by name, of one function. */
function options(
  subject: string,
  call: (options: never) => unknown,
  values: Readonly<Record<string, readonly unknown[]>>,
): readonly Row[] {
  const of = (name: string, tried: readonly unknown[]): Row => [
    `${subject}: ${name}`,
    (value) => call({ [name]: value } as never),
    new RegExp(name),
    tried,
  ]
  return [
    [`${subject}: options`, call, /options/, [null, 5, 'text', true, [], new Map(), () => {}]],
    of('noSuchOption', [1]),
    ...Object.entries(values).map(([name, tried]) => of(name, tried)),
  ]
}

const CALL = { signal: SIGNALS, timeoutMs: NUMBERS }
const WRITE = {
  ...CALL,
  dryRun: [undefined, ...FLAGS],
  fieldManager: TEXTS,
  fieldValidation: [undefined, ...NOTHING, 'strict', 5],
}
const SELECTION = { labelSelector: SELECTORS, fieldSelector: SELECTORS }
const VERSION = { resourceVersion: [undefined, ...TEXTS] }
const CONDITION = { where: TEXTS, accessible: FLAGS }
const FIELDS = [...TEXTS, [], ['']]
const DELETE = {
  ...CALL,
  dryRun: [undefined, ...FLAGS],
  gracePeriodSeconds: [undefined, ...WHOLE],
  propagationPolicy: [undefined, ...NOTHING, 'orphan', 5],
  preconditions: [undefined, ...RECORDS, {}, { uid: undefined }, { uid: 5 }, { resourceVersion: '' }],
}
const drain = async (events: AsyncIterable<unknown>): Promise<void> => {
  for await (const _event of events) break
}

const ROWS: readonly Row[] = [
  ['create', (map) => here().create(map), /object/, [...NEEDED, ...RECORDS, {}, { metadata: null }, { metadata: 'a' }]],
  ['update', (map) => here().update(map), /object/, [...NEEDED, ...RECORDS, {}, { metadata: [] }]],
  ['apply', (map) => here().apply(map, APPLY), /object/, [...NEEDED, ...RECORDS, {}]],
  ['apply: options', (given) => here().apply(MAP, given), /fieldManager|options/, [...NEEDED, {}, 5, []]],
  ['patch', (patch) => here().patch('a', patch), /patch/, [...NEEDED, ...RECORDS]],
  ['a JSON patch', (patch) => here().patch('a', patch, { type: 'json' }), /patch/, [...NEEDED, ...NOTHING, {}, 'text']],
  ['status.create', (body) => here().status.create('a', body), /object/, [...NEEDED, ...RECORDS]],
  ['status.update', (body) => here().status.update('a', body), /object/, [...NEEDED, ...RECORDS]],
  ['status.patch', (patch) => here().status.patch('a', patch), /patch/, [...NEEDED, ...RECORDS]],
  ['status.apply', (map) => here().status.apply('a', map, APPLY), /object/, [...NEEDED, ...RECORDS]],
  ...options('get', (given) => here().get('a', given), { ...CALL, ...VERSION }),
  ...options('find', (given) => here().find('a', given), CALL),
  ...options('list', (given) => here().list(given), {
    ...CALL,
    ...SELECTION,
    ...CONDITION,
    ...VERSION,
    orderBy: FIELDS,
    limit: WHOLE,
    resourceVersionMatch: [undefined, 'exact', ''],
  }),
  ['select', (fields) => here().select(fields), /fields/, [...NEEDED, ...FIELDS]],
  ...options('select', (given) => here().select('metadata.name', given), { ...CALL, ...SELECTION, ...CONDITION }),
  ...options('count', (given) => here().count(given), { ...CALL, ...SELECTION, ...CONDITION }),
  ...options('groups', (given) => here().groups(given), {
    by: [...NEEDED, ...FIELDS],
    sum: FIELDS,
    min: FIELDS,
    max: FIELDS,
  }),
  ...options('pages', (given) => drain(here().pages(given)), { ...CALL, ...SELECTION }),
  ...options('watch', (given) => drain(here().watch(given)), {
    signal: SIGNALS,
    ...SELECTION,
    ...VERSION,
    select: FIELDS,
  }),
  ...options('informer', (given) => here().informer(given), {
    ...SELECTION,
    indexers: [...RECORDS, { byName: 5 }],
    resyncMs: INTERVALS,
    clock: [null, 5, {}],
    onError: FUNCTIONS,
  }),
  ...options('create', (given) => here().create(MAP, given), WRITE),
  ...options('update', (given) => here().update(MAP, given), WRITE),
  ...options('patch', (given) => here().patch('a', {}, given), { ...WRITE, type: [undefined, ...NOTHING, 'Merge', 5] }),
  ...options('apply', (given) => here().apply(MAP, given === null ? given : { ...APPLY, ...(given as object) }), {
    ...WRITE,
    fieldManager: [undefined, ...TEXTS],
    force: FLAGS,
  }).slice(1),
  ...options('delete', (given) => here().delete('a', given), DELETE),
  ...options('deleteCollection', (given) => here().deleteCollection(given), { ...DELETE, ...SELECTION }),
  ...options('status.get', (given) => here().status.get('a', given), CALL),
  ...options('status.update', (given) => here().status.update('a', MAP as never, given), WRITE),
  ...options('status.patch', (given) => here().status.patch('a', {}, given), WRITE),
  ...options('transaction', (given) => client.transaction([], given), WRITE),
  [
    'transaction',
    (operations) => client.transaction(operations),
    /operations/,
    [...NEEDED, null, 5, 'text', {}, [null], [{}]],
  ],
  ['resource', (kind) => client.resource(kind), /plural|kind/, [...NEEDED, null, 5, '', {}]],
  ['inNamespace', (name) => client.resource(k8s.Pod).inNamespace(name), /namespace/, [...NEEDED, ...TEXTS]],
  ['subresource', (name) => here().subresource(name).get('a'), /subresource/, [...NEEDED, ...TEXTS]],
  ['informer.get', (name) => here().informer().get(name), /name/, [...NEEDED, ...TEXTS]],
  ['informer.byIndex', (name) => here().informer().byIndex(name, 'x'), /indexer/, [...NEEDED, ...NOTHING, 5]],
  [
    'informer.addHandler',
    (handler) => here().informer().addHandler(handler),
    /handler/,
    [...NEEDED, ...NOTHING, 5, {}, { added: () => {} }, { add: 5 }, () => {}],
  ],
  ['informer.waitForSync', (signal) => here().informer().waitForSync(signal), /signal/, SIGNALS],

  ...options('request', (given) => client.request(given), {}).slice(0, 1),
  ['request', (request) => client.request(request), /options|method/, [...NEEDED, {}, { path: '/' }]],
  ...options(
    'request',
    (given) =>
      client.request({ method: 'DELETE', path: '/api/v1/namespaces/default/configmaps', ...(given as object) }),
    {
      ...CALL,
      method: [undefined, ...TEXTS, 'delete', 'GET /'],
      path: [undefined, ...TEXTS, ...PATHS],
      query: RECORDS,
      headers: RECORDS,
      contentType: TEXTS,
      body: [() => {}, Symbol('s'), 5n],
    },
  ).slice(1),
  ...['labelSelector', 'fieldSelector', 'dryRun', 'resourceVersion', 'any'].map(
    (name): Row => [
      `request: the query's ${name}`,
      (value) =>
        client.request({ method: 'DELETE', path: '/api/v1/namespaces/default/configmaps', query: { [name]: value } }),
      new RegExp(`query's ${name}`),
      [undefined, ...NOTHING, ' ', ',', '\0x', [], {}, new Map(), NaN, () => {}],
    ],
  ),
  ...['impersonate-user', 'Impersonate-User', 'if-match'].map(
    (name): Row => [
      `request: the header ${name}`,
      (value) => client.request({ method: 'GET', path: '/version', headers: { [name]: value } }),
      new RegExp(`header ${name}`),
      [undefined, ...TEXTS, ' '],
    ],
  ),

  [
    'request: the name of a header',
    (name) => client.request({ method: 'GET', path: '/version', headers: { [name as string]: 'x' } }),
    /header/,
    ['', ' ', 'a b', ':path', 'ä', 'a\r\n'],
  ],

  ...options('new Client', (given) => new Client(given), {}),
  ...options('new Client', (given) => new Client({ url: URL_, ...(given as object) }), {
    url: [undefined, ...TEXTS, 'nope', 'ftp://127.0.0.1', '127.0.0.1:6443', ...URLS],
    ca: TEXTS,
    serverName: TEXTS,
    insecureSkipTlsVerify: FLAGS,
    transport: [null, 5, {}],
    token: TEXTS,
    tokenFile: TEXTS,
    clientCertificate: [...TEXTS, 'without its key'],
    clientKey: [...TEXTS, 'without its certificate'],
    exec: [...RECORDS, {}, { command: '' }, { command: 5 }],
    impersonate: [undefined, ...RECORDS],
    timeoutMs: NUMBERS,
    retries: WHOLE,
    pingIntervalMs: INTERVALS,
    userAgent: TEXTS,
    clock: [null, 5, {}],
  }).slice(1),
  [
    'new Client: kubeconfig',
    (kubeconfig) => new Client({ kubeconfig }),
    /kubeconfig/,
    [undefined, ...NOTHING, 5, [], 'null\n', '- a\n', ...KUBECONFIGS],
  ],
  ['new Client: context', (context) => new Client({ kubeconfig: {}, context }), /context/, [undefined, ...TEXTS]],
  [
    'new Client: impersonate.user',
    (user) => new Client({ url: URL_, impersonate: { user } }),
    /user/,
    [undefined, ...TEXTS],
  ],
  [
    'new Client: impersonate.groups',
    (groups) => new Client({ url: URL_, impersonate: { user: 'ann', groups } }),
    /groups/,
    [undefined, ...NOTHING, 'dev', [''], [5], {}],
  ],

  ...options('runAsLeader', (given) => client.runAsLeader({ ...LEASE, ...(given as object) }, lead), {
    namespace: [undefined, ...TEXTS],
    name: [undefined, ...TEXTS],
    identity: [undefined, ...TEXTS],
    leaseDurationMs: INTERVALS,
    renewDeadlineMs: INTERVALS,
    retryPeriodMs: INTERVALS,
    clock: [null, 5, {}],
    signal: SIGNALS,
    onNewLeader: FUNCTIONS,
  }).slice(1),
  ['runAsLeader: options', (given) => client.runAsLeader(given, lead), /options|namespace/, [...NEEDED, null, 5, []]],
  ...options('runController', (given) => runController({ ...CONTROLLER, ...(given as object) }), {
    client: [undefined, ...NOTHING, 5, {}],
    for: [undefined, ...RECORDS],
    reconcile: [undefined, ...FUNCTIONS],
    owns: [...NOTHING, 5, {}],
    watches: [...NOTHING, 5, {}],
    namespace: [undefined, ...TEXTS],
    concurrency: [undefined, ...WHOLE, 0],
    leaderElection: RECORDS,
    firstRetryMs: INTERVALS,
    longestRetryMs: INTERVALS,
    signal: SIGNALS,
    onError: FUNCTIONS,
  }).slice(1),
  [
    'runController: a kind of owns',
    (owned) => runController({ ...CONTROLLER, owns: [owned] }),
    /owns: .*kind/,
    RECORDS,
  ],
  [
    'runController: to',
    (to) => runController({ ...CONTROLLER, watches: [{ kind: k8s.Secret, to }] }),
    /watches: .*to/,
    [undefined, ...FUNCTIONS],
  ],
  ['runController: options', (given) => runController(given), /options|client/, [...NEEDED, null, 5, []]],
  ['runAsLeader: function', (run) => client.runAsLeader(LEASE, run), /function/, [...NEEDED, ...FUNCTIONS]],

  ['waitFor: client', (given) => waitFor(given, TARGET, 'exists'), /client/, [...NEEDED, ...NOTHING, 5, {}]],
  ['waitFor: target', (given) => waitFor(client, given, 'exists'), /target/, [...NEEDED, ...RECORDS]],
  ...options('waitFor: target', (given) => waitFor(client, { ...TARGET, ...(given as object) }, 'exists'), {
    kind: [undefined, ...RECORDS],
    name: [undefined, ...TEXTS],
    namespace: [...TEXTS],
  }).slice(1),
  [
    'waitFor: object',
    (metadata) => waitFor(client, { apiVersion: 'v1', kind: 'ConfigMap', metadata } as never, 'exists'),
    /metadata/,
    [...NEEDED, null, 5, {}],
  ],
  [
    'waitFor: condition',
    (given) => waitFor(client, TARGET, given),
    /condition/,
    [
      ...NEEDED,
      ...NOTHING,
      5,
      'exist',
      'Deleted',
      ['exists'],
      {},
      { conditon: 'Ready' },
      { condition: '' },
      { condition: 5 },
    ],
  ],
  [
    'waitFor: status of a condition',
    (status) => waitFor(client, TARGET, { condition: 'Ready', status }),
    /status/,
    [undefined, ...NOTHING, true, 'true'],
  ],
  ...options('waitFor', (given) => waitFor(client, TARGET, 'exists', given), CALL),
  ['eventually: client', (given) => eventually(given, TARGET, {}), /client/, [...NEEDED, ...NOTHING, 5, {}]],
  ['eventually: wanted', (given) => eventually(client, TARGET, given), /wanted/, [...NEEDED, ...NOTHING, 5, 'x', []]],
  ...options('eventually', (given) => eventually(client, TARGET, {}, given), CALL),
  ['applyYaml: to', (to) => applyYaml(to, 'kind: X\n'), /server or client/, [...NEEDED, ...NOTHING, 5, {}]],
  [
    'applyYaml: text',
    (text) => applyYaml(server, text),
    /YAML or JSON, a URL of a file, or a path that ends in .yaml/,
    [...NEEDED, ...TEXTS, './nope.txt', 'nope', '5', '[]', '- a\n- b\n', '# nothing\n', 'kind: List\nitems: []\n'],
  ],
  ...options('applyYaml', (given) => applyYaml(server, 'kind: X\n', given), {
    namespace: TEXTS,
    fieldManager: TEXTS,
    timeoutMs: NUMBERS,
  }),
  ...options('serverFixtures', (given) => serverFixtures(given, {}), {
    setup: FUNCTIONS,
    printRequests: WHOLE,
    port: WHOLE,
  }),
  ['serverFixtures: hooks', (hooks) => serverFixtures({}, hooks), /hooks|options/, [null, 5, 'text']],
  ['serverFixtures: beforeAll', (beforeAll) => serverFixtures({}, { beforeAll }), /beforeAll/, FUNCTIONS],
  ['serverTest', (runner) => serverTest(runner), /runner|test/, [...NEEDED, ...RECORDS, {}, { test: 5 }]],

  ...options('startServer', (given) => startServer(given), {
    dataDir: [undefined, ...TEXTS],
    port: WHOLE,
    users: [...NOTHING, 'ann', {}, 5],
    flags: [undefined, ...NOTHING, 'x', 5, { v: undefined }, { v: null }, [5]],
    log: [null, 5, {}],
    signal: SIGNALS,
    snapshot: [undefined, ...RECORDS, {}],
    clock: [undefined, ...NOTHING, 'Virtual', ['virtual'], {}],
    seed: TEXTS,
  }),
  [
    'startServer: flags',
    (flags) => startServer({ port: 0, flags }),
    /port/,
    [{ 'secure-port': 0 }, ['--secure-port', '1']],
  ],
  ['startServer: dataDir', (flags) => startServer({ dataDir: 'x', flags }), /dataDir/, [{ 'data-dir': 'y' }]],
  [
    'deleteCollection: options of a prototype',
    (labelSelector) => here().deleteCollection(Object.create({ labelSelector }) as object),
    /labelSelector/,
    SELECTORS,
  ],
  ...options('fork', (given) => server.fork(given), {
    port: WHOLE,
    users: [null, 'ann'],
    log: [null, {}],
  }),
  ...options('recordRequests', (given) => server.recordRequests(given), { limit: [...WHOLE, 0] }),
  ['restore', (snapshot) => server.restore(snapshot), /snapshot/, [...NEEDED, null, 5, {}]],
  ['clock.advance', (duration) => server.clock.advance(duration), /advanced by/, [...NEEDED, null, {}, []]],
  ...(['client', 'credentials', 'kubeconfig', 'kubeconfigFile'] as const).flatMap((verb): readonly Row[] => [
    [
      verb,
      (user) => server[verb](user),
      /user/,
      [...NOTHING, 5, true, [], {}, { name: '' }, { name: 5 }, { groups: [] }],
    ],
    [
      `${verb}: groups`,
      (groups) => server[verb]({ name: 'new', groups }),
      /groups/,
      [undefined, ...NOTHING, 'dev', [''], [5], {}, new Set(['dev'])],
    ],
    [`${verb}: uid`, (uid) => server[verb]({ name: 'new', uid }), /uid/, TEXTS],
    [`${verb}: token`, (token) => server[verb]({ name: 'new', token }), /token/, TEXTS],
    [`${verb}: extra`, (extra) => server[verb]({ name: 'new', extra }), /extra/, [...RECORDS, { a: 'b' }, { a: [5] }]],
    [`${verb}: unknown`, (group) => server[verb]({ name: 'new', group } as never), /no option "group"/, [['dev']]],
  ]),
]

describe('an argument that a function cannot take', () => {
  it.each(ROWS)('%s', async (_name, call, message, values) => {
    requests.clear()
    for (const value of values) {
      const error: unknown = await (async () => call(value as never))().then(
        () => 'it was taken',
        (reason: unknown) => reason,
      )
      const given = `${inspect(value)}: ${String(error)}`
      expect(error instanceof TypeError, given).toBe(true)
      expect(String(error), given).toMatch(message)
      expect(String(error), given).not.toMatch(/Cannot read|Cannot destructure|is not a function|not iterable/)
    }
    expect(requests.lines()).toEqual([])
    expect((await here().list()).items.map(({ metadata: { name } }) => name)).toEqual(
      expect.arrayContaining(['a', 'b']),
    )
  })
})

/** So that a function that is added is tried too. */
it('names every function of the client and the testing kit', () => {
  const text = readFileSync(new URL(import.meta.url), 'utf8')
  const doors = {
    Client,
    Resource: here().constructor,
    Subresource: here().status.constructor,
    Informer: here().informer().constructor,
  }
  const verbs = Object.values(doors).flatMap((door) => Object.getOwnPropertyNames(door.prototype))
  const untried = verbs.filter(
    (verb) => !['constructor', 'close', 'start', 'stop', 'hasSynced', 'size', 'resourceVersion'].includes(verb),
  )
  expect(untried.filter((verb) => !new RegExp(`\\.${verb}\\b`).test(text))).toEqual([])
})
