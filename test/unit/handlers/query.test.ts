// Queries on lists: conditions, order, pages, fields and groups, through the whole server.
import { describe, expect, it } from 'vitest'
import { convert } from '../../../src/codec/convert.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { User } from '../../../src/api/user.ts'
import { type ApiWorld, NAMESPACE, openWorld } from '../../rigs/api-world.ts'

const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`

interface Made {
  readonly name: string
  readonly node?: string
  readonly cpu?: string
  readonly labels?: Readonly<Record<string, string>>
}

async function makePods(world: ApiWorld, pods: readonly Made[]): Promise<void> {
  for (const { name, node, cpu = '100m', labels = {} } of pods) {
    const requests = { cpu, memory: '64Mi' }
    await world.create(world.resource('pods'), {
      metadata: { name, labels },
      spec: { nodeName: node, containers: [{ name: 'c', image: 'i', resources: { requests } }] },
    })
  }
}

const pathOf = (base: string, parameters: Readonly<Record<string, string | number>>): string =>
  `${base}?${Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`

interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
  readonly metadata: {
    readonly continue: string
    readonly resourceVersion: string
    readonly remainingItemCount?: number
  }
}

async function ask(world: ApiWorld, parameters: Readonly<Record<string, string | number>>, base = PODS) {
  const { status, body, warnings } = await world.send({ method: 'GET', path: pathOf(base, parameters) })
  return { status, body: body as never as Listed & Record<string, unknown>, warnings }
}

const namesIn = ({ body }: { body: Listed }): readonly string[] => body.items.map(({ metadata }) => metadata.name)

describe('where', () => {
  it('selects the objects on which the expression is true, and tells how often it failed', async () => {
    const world = await openWorld()
    await makePods(world, [
      { name: 'a', node: 'n1' },
      { name: 'b' },
      { name: 'c', node: 'n2' },
      { name: 'd', node: 'n1' },
    ])
    const answer = await ask(world, { where: "object.spec.nodeName.endsWith('1')" })
    expect(namesIn(answer)).toEqual(['a', 'd'])
    expect(answer.warnings).toEqual([
      'where: the expression failed on 1 object, which did not match: no such key: nodeName',
    ])
  })

  it.each([
    ['a field that the kind does not have', 'object.spec.node == 1', "where: 1:12: undefined field 'node'"],
    ['a syntax error', 'object.spec.nodeName ==', /^where: 1:\d+: Syntax error/],
    ['a value of another type', 'object.spec.hostNetwork == 3', /where: 1:25: found no matching overload/],
    ['an expression that is no condition', 'object.spec.nodeName', 'where: 1:1: must evaluate to bool but got string'],
    ['another variable', 'request.name == "x"', /^where: 1:1: undeclared reference to 'request'/],
  ])('refuses %s, with its position', async (_, where, message) => {
    const world = await openWorld()
    const { status, body } = await ask(world, { where })
    expect({ status, body }).toMatchObject({ status: 400, body: { reason: 'BadRequest' } })
    expect(body['message']).toMatch(message)
    expect((body['details'] as { causes: object[] }).causes[0]).toMatchObject({ field: 'where' })
  })

  it('joins label and field selectors', async () => {
    const world = await openWorld()
    await makePods(world, [
      { name: 'a', node: 'n1', labels: { app: 'x' } },
      { name: 'b', node: 'n1', labels: { app: 'y' } },
      { name: 'c', node: 'n2', labels: { app: 'x' } },
    ])
    const where = "object.metadata.name != 'd'"
    const fieldSelector = 'spec.nodeName=n1'
    expect(namesIn(await ask(world, { where, labelSelector: 'app=x', fieldSelector }))).toEqual(['a'])
  })

  it('gives pages of one revision', async () => {
    const world = await openWorld()
    await makePods(
      world,
      ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, node: name === 'c' ? 'n2' : 'n1' })),
    )
    const where = "object.spec.nodeName == 'n1'"
    const first = await ask(world, { where, limit: 2 })
    expect(namesIn(first)).toEqual(['a', 'b'])
    await world.delete(world.resource('pods'), 'd', { gracePeriodSeconds: 0 })
    const second = await ask(world, { where, limit: 2, continue: first.body.metadata.continue })
    expect(namesIn(second)).toEqual(['d', 'e'])
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
  })
})

describe('orderBy', () => {
  it('sorts quantities by value, and objects without the field last in both directions', async () => {
    const world = await openWorld()
    await makePods(world, [
      { name: 'a', cpu: '2' },
      { name: 'b', cpu: '500m' },
      { name: 'c', cpu: '1500m' },
    ])
    await world.create(world.resource('pods'), {
      metadata: { name: 'none' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    })
    const path = 'spec.containers[0].resources.requests.cpu'
    expect(namesIn(await ask(world, { orderBy: path }))).toEqual(['b', 'c', 'a', 'none'])
    expect(namesIn(await ask(world, { orderBy: `${path} desc` }))).toEqual(['a', 'c', 'b', 'none'])
  })

  it('sorts by further fields where the first are equal, then as a plain list', async () => {
    const world = await openWorld()
    await makePods(world, [
      { name: 'a', node: 'n2' },
      { name: 'b', node: 'n1' },
      { name: 'c', node: 'n2' },
      { name: 'd', node: 'n1' },
    ])
    expect(namesIn(await ask(world, { orderBy: 'spec.nodeName' }))).toEqual(['b', 'd', 'a', 'c'])
    expect(namesIn(await ask(world, { orderBy: 'spec.nodeName desc, metadata.name desc' }))).toEqual([
      'c',
      'a',
      'd',
      'b',
    ])
  })

  it('sorts versions as versions, with a key of a label in brackets', async () => {
    const world = await openWorld()
    const versions = ['1.10.0', '1.9.0', 'v1.10.0-rc.1', '1.2.3']
    const labels = (version: string) => ({ 'app.kubernetes.io/version': version })
    await makePods(
      world,
      versions.map((version, i) => ({ name: `p${i}`, labels: labels(version) })),
    )
    const orderBy = "metadata.labels['app.kubernetes.io/version']"
    expect(namesIn(await ask(world, { orderBy }))).toEqual(['p3', 'p1', 'p2', 'p0'])
  })

  it('sorts resourceVersions as numbers', async () => {
    const world = await openWorld()
    await makePods(
      world,
      Array.from({ length: 12 }, (_, i) => ({ name: `p${String(11 - i).padStart(2, '0')}` })),
    )
    const made = Array.from({ length: 12 }, (_, i) => `p${String(11 - i).padStart(2, '0')}`)
    expect(namesIn(await ask(world, { orderBy: 'metadata.resourceVersion' }))).toEqual(made)
  })

  it('gives pages of one revision, and tells how many objects follow', async () => {
    const world = await openWorld()
    await makePods(
      world,
      ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })),
    )
    const query = { orderBy: 'metadata.name desc', limit: 2 }
    const first = await ask(world, query)
    expect(namesIn(first)).toEqual(['e', 'd'])
    expect(first.body.metadata.remainingItemCount).toBe(3)
    await world.delete(world.resource('pods'), 'b', { gracePeriodSeconds: 0 })
    await makePods(world, [{ name: 'f' }])
    const second = await ask(world, { ...query, continue: first.body.metadata.continue })
    expect(namesIn(second)).toEqual(['c', 'b'])
    const third = await ask(world, { ...query, continue: second.body.metadata.continue })
    expect({ names: namesIn(third), metadata: third.body.metadata }).toEqual({
      names: ['a'],
      metadata: { resourceVersion: first.body.metadata.resourceVersion, continue: '' },
    })
  })

  it.each([
    ['an unknown field', 'metadata.nam', "orderBy: 1:1: undefined field 'nam'"],
    ['an object', 'metadata.name,metadata', 'orderBy: 1:15: metadata is not a single value'],
    ['a field of many items', 'spec.containers.name', 'orderBy: 1:1: spec.containers.name has many values'],
    ['a word that is no direction', 'metadata.name down', 'orderBy: 1:15: expected asc or desc, not "down"'],
    ['nothing behind a comma', 'metadata.name,', 'orderBy: 1:15: expected the name of a field'],
    ['an open bracket', "metadata.labels['a", 'orderBy: 1:16: unexpected "["'],
  ])('refuses %s, with its position', async (_, orderBy, message) => {
    const world = await openWorld()
    expect((await ask(world, { orderBy })).body).toMatchObject({ code: 400, message })
  })
})

describe('continue', () => {
  it.each([
    ['another expression', { where: "object.metadata.name != 'y'" }],
    ['another order', { where: "object.metadata.name != 'x'", orderBy: 'metadata.name' }],
    ['other fields', { where: "object.metadata.name != 'x'", select: 'metadata.uid' }],
    ['no query', {}],
  ])('belongs to its query: with %s it is refused', async (_, other) => {
    const world = await openWorld()
    await makePods(
      world,
      ['a', 'b', 'c'].map((name) => ({ name })),
    )
    const first = await ask(world, { where: "object.metadata.name != 'x'", limit: 1 })
    const token = first.body.metadata.continue
    const { status, body } = await ask(world, { ...other, limit: 1, continue: token })
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { message: 'invalid continue token: it belongs to a list with another query' },
    })
  })

  it('of a plain list is no continue of a query', async () => {
    const world = await openWorld()
    await makePods(
      world,
      ['a', 'b'].map((name) => ({ name })),
    )
    const token = (await ask(world, { limit: 1 })).body.metadata.continue
    expect((await ask(world, { orderBy: 'metadata.name', limit: 1, continue: token })).status).toBe(400)
  })
})

describe('select', () => {
  it('gives the selected fields, and what names an object and its version', async () => {
    const world = await openWorld()
    await makePods(world, [{ name: 'a', node: 'n1', labels: { app: 'x', tier: 'y' } }, { name: 'b' }])
    const { body } = await ask(world, { select: 'spec.nodeName,metadata.labels.app,spec.containers.image' })
    const resourceVersion = expect.stringMatching(/^\d+$/) as string
    expect(body.items).toEqual([
      {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name: 'a', namespace: NAMESPACE, resourceVersion, labels: { app: 'x' } },
        spec: { containers: [{ image: 'i' }], nodeName: 'n1' },
      },
      {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name: 'b', namespace: NAMESPACE, resourceVersion },
        spec: { containers: [{ image: 'i' }] },
      },
    ])
  })

  it('gives pages like a plain list', async () => {
    const world = await openWorld()
    await makePods(
      world,
      ['a', 'b', 'c'].map((name) => ({ name })),
    )
    const first = await ask(world, { select: 'metadata.uid', limit: 2 })
    expect(namesIn(first)).toEqual(['a', 'b'])
    expect(first.body.metadata.remainingItemCount).toBe(1)
    expect(namesIn(await ask(world, { select: 'metadata.uid', continue: first.body.metadata.continue }))).toEqual(['c'])
  })

  it('is in every encoding and form', async () => {
    const world = await openWorld({ gates: ['CBORServingAndStorage'] })
    await makePods(world, [{ name: 'a', node: 'n1' }])
    const path = pathOf(PODS, { select: 'spec.nodeName' })
    const [yaml, table, metadata] = await Promise.all(
      [
        'application/yaml',
        'application/json;as=Table;g=meta.k8s.io;v=v1',
        'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      ].map((accept) => world.send({ method: 'GET', path, accept })),
    )
    const names = { name: 'a', namespace: NAMESPACE, resourceVersion: expect.any(String) as string }
    expect(yaml!.body['items']).toEqual([{ kind: 'Pod', apiVersion: 'v1', metadata: names, spec: { nodeName: 'n1' } }])
    expect(table!.body['rows']).toEqual([
      { cells: ['a', 'n1'], object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: names } },
    ])
    expect((table!.body['columnDefinitions'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'Name',
      'spec.nodeName',
    ])
    expect(metadata!.body['items']).toEqual([
      { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: names },
    ])
    const kinds = loadBuiltInSchema()
    const decoded = async (accept: string, from: 'protobuf' | 'cbor'): Promise<unknown> => {
      const bytes = await world.sendForBytes({ method: 'GET', path, accept })
      return JSON.parse(convert(bytes, { from, to: 'json', kinds, now: 0 }).bytes.toString())
    }
    const pods = await decoded('application/vnd.kubernetes.protobuf', 'protobuf')
    expect(pods).toMatchObject({ items: [{ metadata: names, spec: { nodeName: 'n1' } }] })
    expect(pods).not.toMatchObject({ items: [{ metadata: { uid: expect.any(String) as string } }] })
    expect(await decoded('application/cbor', 'cbor')).toMatchObject({
      items: [{ kind: 'Pod', apiVersion: 'v1', metadata: names, spec: { nodeName: 'n1' } }],
    })
  })

  it('refuses a field that the kind does not have', async () => {
    const world = await openWorld()
    expect((await ask(world, { select: 'metadata.name,spec.node' })).body).toMatchObject({
      code: 400,
      message: "select: 1:15: undefined field 'node'",
    })
  })
})

describe('count and groupBy', () => {
  it('counts objects', async () => {
    const world = await openWorld()
    await makePods(world, [{ name: 'a' }, { name: 'b' }])
    const { body } = await ask(world, { count: 'true' })
    expect(body).toEqual({
      kind: 'QueryResult',
      apiVersion: 'query.quarterdeck.io/v1',
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) as string },
      rows: [{ group: {}, count: 2 }],
    })
    expect((await ask(world, { count: 'true', where: "object.metadata.name == 'x'" })).body['rows']).toEqual([
      { group: {}, count: 0 },
    ])
  })

  it('refuses groups that would take much memory', async () => {
    const world = await openWorld()
    const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`
    const text = 'x'.repeat(600_000)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) {
      await world.create(world.resource('configmaps'), {
        metadata: { name },
        data: { text, word: text.slice(0, 1000) },
      })
    }
    const refusal = async (parameters: Readonly<Record<string, string>>): Promise<unknown> => {
      const { status, body } = await ask(world, parameters, maps)
      return status === 400 ? body['message'] : status
    }
    const copies = (path: string): string => Array.from({ length: 60 }, () => path).join(',')
    expect(await refusal({ groupBy: copies('data.text') })).toBe(
      'groupBy: the values of an object have more than 65536 characters',
    )
    expect(await refusal({ groupBy: copies('data.word') })).toBe(200)
    const texts = 'data.text,data[\'text\'],data["text"]'
    expect(await refusal({ groupBy: 'metadata.name', max: texts, min: texts })).toMatch(
      /^groupBy: the groups have more than 4194304 characters together; select objects/,
    )
  })

  it('groups objects, with sums and extremes of numbers and quantities', async () => {
    const world = await openWorld()
    await makePods(world, [
      { name: 'a', node: 'n1', cpu: '500m' },
      { name: 'b', node: 'n1', cpu: '2' },
      { name: 'c', node: 'n2', cpu: '250m' },
      { name: 'd' },
    ])
    const cpu = 'spec.containers.resources.requests.cpu'
    const query = { groupBy: 'spec.nodeName', sum: cpu, min: cpu, max: `${cpu},metadata.name` }
    expect((await ask(world, query)).body['rows']).toEqual([
      {
        group: { 'spec.nodeName': 'n1' },
        count: 2,
        sum: { [cpu]: '2500m' },
        min: { [cpu]: '500m' },
        max: { [cpu]: '2', 'metadata.name': 'b' },
      },
      {
        group: { 'spec.nodeName': 'n2' },
        count: 1,
        sum: { [cpu]: '250m' },
        min: { [cpu]: '250m' },
        max: { [cpu]: '250m', 'metadata.name': 'c' },
      },
      {
        group: { 'spec.nodeName': null },
        count: 1,
        sum: { [cpu]: '100m' },
        min: { [cpu]: '100m' },
        max: { [cpu]: '100m', 'metadata.name': 'd' },
      },
    ])
  })

  it('orders rows by their count, and gives pages of them', async () => {
    const world = await openWorld()
    await makePods(
      world,
      ['n2', 'n1', 'n3', 'n3', 'n2', 'n3'].map((node, i) => ({ name: `p${i}`, node })),
    )
    const query = { groupBy: 'spec.nodeName', orderBy: 'count desc', limit: 2 }
    const first = await ask(world, query)
    const counts = ({ body }: { body: Record<string, unknown> }) =>
      (body['rows'] as { count: number }[]).map(({ count }) => count)
    expect(counts(first)).toEqual([3, 2])
    expect(first.body.metadata.remainingItemCount).toBe(1)
    expect(counts(await ask(world, { ...query, continue: first.body.metadata.continue }))).toEqual([1])
  })

  it('is a Table where a Table is accepted', async () => {
    const world = await openWorld()
    await makePods(world, [{ name: 'a', node: 'n1' }])
    const { body } = await world.send({
      method: 'GET',
      path: pathOf(PODS, { groupBy: 'spec.nodeName', sum: 'spec.containers.resources.requests.memory' }),
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json',
    })
    expect(body).toMatchObject({ kind: 'Table', rows: [{ cells: ['n1', 1, '64Mi'], object: null }] })
    expect(body['columnDefinitions']).toHaveLength(3)
  })

  it('is JSON for clients that prefer protobuf', async () => {
    const world = await openWorld()
    const accept = 'application/vnd.kubernetes.protobuf,application/json'
    const { body } = await world.send({ method: 'GET', path: pathOf(PODS, { count: 'true' }), accept })
    expect(body).toMatchObject({ kind: 'QueryResult', rows: [{ count: 0 }] })
  })

  it.each([
    ['a sum of texts', { sum: 'metadata.name' }, 'sum: 1:1: metadata.name is not a number and not a quantity'],
    [
      'fields of objects',
      { count: 'true', select: 'metadata.name' },
      'select: a query with count, groupBy, sum, min or max has no objects',
    ],
    [
      'an order that rows do not have',
      { groupBy: 'spec.nodeName', orderBy: 'metadata.name' },
      'orderBy: 1:1: metadata.name is neither count nor a field of groupBy',
    ],
    ['groups of lists', { groupBy: 'spec.containers.image' }, 'groupBy: 1:1: spec.containers.image has many values'],
  ])('refuses %s', async (_, query, message) => {
    const world = await openWorld()
    expect((await ask(world, query as Record<string, string>)).body).toMatchObject({ code: 400, message })
  })
})

describe('QUERY', () => {
  const send = (world: ApiWorld, body: object | string, contentType = 'application/json', search = '', user?: User) =>
    world.send({
      method: 'QUERY',
      path: `${PODS}${search}`,
      body,
      contentType,
      ...(user === undefined ? {} : { user }),
    })

  it('has the parameters of a list in its body, as JSON or as a form', async () => {
    const world = await openWorld()
    await makePods(world, [
      { name: 'a', node: 'n1' },
      { name: 'b', node: 'n2' },
    ])
    const where = "object.spec.nodeName == 'n1'"
    const items = [{ metadata: { name: 'a' } }]
    expect(await send(world, { where, select: ['metadata.name', 'spec.nodeName'], limit: 10 })).toMatchObject({
      status: 200,
      body: { items },
    })
    const form = `where=${encodeURIComponent(where)}&limit=1`
    expect(await send(world, form, 'application/x-www-form-urlencoded')).toMatchObject({ status: 200, body: { items } })
    expect(await send(world, {}, undefined, `?where=${encodeURIComponent(where)}`)).toMatchObject({ body: { items } })
  })

  it('takes the right to list', async () => {
    const world = await openWorld()
    const user = { name: 'jane', uid: undefined, groups: ['system:authenticated'], extra: {} }
    const refused = await send(world, { count: true }, undefined, '', user)
    expect(refused).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('cannot list resource "pods"') as string },
    })
    const meta = { metadata: { name: 'lister' } }
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]
    await world.create(world.resource('roles', 'rbac.authorization.k8s.io'), { ...meta, rules })
    await world.create(world.resource('rolebindings', 'rbac.authorization.k8s.io'), {
      ...meta,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'lister' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
    })
    await expect.poll(async () => (await send(world, { count: true }, undefined, '', user)).status).toBe(200)
  })

  it.each([
    ['a parameter that no list has', { wehre: 'true' }, undefined, '', 400, /"wehre" is not a parameter of a list/],
    ['a parameter twice', { where: 'true' }, undefined, '?where=true', 400, /"where" is in the URL too/],
    ['a right in the body', { accessible: 'true' }, undefined, '', 400, /"accessible" belongs to the URL/],
    ['a watch', {}, undefined, '?watch=1', 400, /a watch is no QUERY/],
    ['a body that is no object', '[]', undefined, '', 400, /not a JSON object/],
    ['a value that is no text', { where: {} }, undefined, '', 400, /"where" is not a text/],
    ['another type', 'a: 1', 'application/yaml', '', 415, /application\/json or application\/x-www-form-urlencoded/],
    ['more than a query needs', `{"where": "${'x'.repeat(600_000)}"}`, undefined, '', 413, /limit for a QUERY/],
  ])('refuses %s', async (_, body, type, search, code, message) => {
    const world = await openWorld()
    const answer = await send(world, body, type, search)
    expect(answer).toMatchObject({ status: code, body: { message: expect.stringMatching(message) as string } })
  })

  it('is only for collections', async () => {
    const world = await openWorld()
    await makePods(world, [{ name: 'a' }])
    const answer = await world.send({ method: 'QUERY', path: `${PODS}/a`, body: {} })
    expect(answer.status).toBe(405)
  })
})

describe('other requests', () => {
  it.each(['where=object.metadata.name=="a"', 'accessible=true', 'select=metadata.name'])(
    'a DELETE of a collection with %s deletes nothing',
    async (parameter) => {
      const world = await openWorld()
      await makePods(world, [{ name: 'a' }, { name: 'b' }])
      const { status } = await world.send({ method: 'DELETE', path: `${PODS}?${encodeURI(parameter)}` })
      expect(status).toBe(400)
      expect(namesIn(await ask(world, {}))).toEqual(['a', 'b'])
    },
  )
})
