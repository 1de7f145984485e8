// Answers without managed fields, for clients whose Accept has `drop=metadata.managedFields`.
import { beforeEach, describe, expect, it } from 'vitest'
import { definitionOf } from '../../corpora/definitions.ts'
import { type ApiWorld, NAMESPACE, openWorld } from '../../rigs/api-world.ts'

const GATE = 'ManagedFieldsOptOut'
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`
const SCALES = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/d/scale`
const WIDGETS = '/apis/example.com/v1/widgets'
const DROP = 'drop=metadata.managedFields'
const JSON_TYPE = 'application/json'
const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const META = 'g=meta.k8s.io;v=v1'
const ALL = 'labelSelector=all%3Dyes'

const labels = { all: 'yes' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }

let world: ApiWorld

async function openWith(gates: readonly string[]): Promise<void> {
  world = await openWorld({ gates })
  await world.create(world.resource('configmaps'), { metadata: { name: 'a', labels }, data: { x: 'managedFields' } })
  await world.create(world.resource('deployments', 'apps'), {
    metadata: { name: 'd', labels },
    spec: { selector: { matchLabels: labels }, template },
  })
}

interface Shown {
  readonly metadata: Readonly<Record<string, unknown>>
}

const ask = async (path: string, accept: string, method = 'GET', body?: object, contentType = JSON_TYPE) => {
  const answer = await world.send({ method, path, accept, ...(body === undefined ? {} : { body, contentType }) })
  expect(answer.status).toBeLessThan(300)
  return answer.body as unknown as Shown & { readonly items: readonly Shown[] }
}

describe('with the gate', () => {
  beforeEach(() => openWith([GATE]))

  it.each([JSON_TYPE, 'application/yaml', `${JSON_TYPE};as=PartialObjectMetadata;${META}`])(
    'an object is the same but for its managed fields: %s',
    async (type) => {
      const whole = await ask(`${MAPS}/a`, type)
      const { managedFields, ...metadata } = whole.metadata
      expect(managedFields).toHaveLength(1)
      expect(await ask(`${MAPS}/a`, `${type};${DROP}`)).toEqual({ ...whole, metadata })
    },
  )

  it.each([JSON_TYPE, 'application/yaml', `${JSON_TYPE};as=PartialObjectMetadataList;${META}`])(
    'a list is the same but for them: %s',
    async (type) => {
      const whole = await ask(`${MAPS}?${ALL}`, type)
      const items = whole.items.map(({ metadata: { managedFields: _managed, ...metadata }, ...item }) => ({
        ...item,
        metadata,
      }))
      expect(items).toHaveLength(1)
      expect(await ask(`${MAPS}?${ALL}`, `${type};${DROP}`)).toEqual({ ...whole, items })
    },
  )

  it.each([`${MAPS}/a`, `${MAPS}?${ALL}`, `${MAPS}?${ALL}&watch=1&timeoutSeconds=1`])(
    'protobuf has none: %s',
    async (path) => {
      const read = async (accept: string): Promise<boolean> => {
        if (path.includes('watch'))
          return (await world.sendForStart({ method: 'GET', path, accept })).includes('f:data')
        return (await world.sendForBytes({ method: 'GET', path, accept })).includes('f:data')
      }
      expect(await read(PROTOBUF)).toBe(true)
      expect(await read(`${PROTOBUF};${DROP}`)).toBe(false)
    },
  )

  it('the events of a watch have none, beside a watch of which they have', async () => {
    const path = `${MAPS}?${ALL}&watch=1&resourceVersion=0`
    const started = async (accept: string): Promise<string> => world.sendForStart({ method: 'GET', path, accept })
    expect(await started(JSON_TYPE)).toContain('"managedFields":[')
    const dropped = await started(`${JSON_TYPE};${DROP}`)
    expect(dropped).toContain('"name":"a"')
    expect(dropped).not.toContain('"managedFields":')
    expect(await started(JSON_TYPE)).toContain('"managedFields":[')
  })

  it('a table stays as it is, with the objects in it', async () => {
    const table = `${JSON_TYPE};as=Table;${META}`
    for (const path of [`${MAPS}/a`, MAPS]) {
      const whole = await ask(`${path}?includeObject=Object`, table)
      expect(JSON.stringify(whole)).toContain('"managedFields":[')
      expect(await ask(`${path}?includeObject=Object`, `${table};${DROP}`)).toEqual(whole)
    }
  })

  it.each<[string, string, object, string]>([
    ['POST', MAPS, { metadata: { name: 'b' }, data: { y: 'z' } }, JSON_TYPE],
    ['PUT', `${MAPS}/a`, { metadata: { name: 'a' }, data: { y: 'z' } }, JSON_TYPE],
    ['PATCH', `${MAPS}/a`, { data: { y: 'z' } }, 'application/merge-patch+json'],
    ['DELETE', `${MAPS}?${ALL}`, {}, JSON_TYPE],
  ])('the answer of a %s has none, and they are stored', async (method, path, body, contentType) => {
    const answer = await ask(path, `${JSON_TYPE};${DROP}`, method, body, contentType)
    const shown = answer.items?.[0] ?? answer
    expect(shown.metadata['name']).toMatch(/^[ab]$/)
    expect(shown.metadata).not.toHaveProperty('managedFields')
    if (method === 'DELETE') return
    const stored = await ask(`${MAPS}/${shown.metadata['name'] as string}`, JSON_TYPE)
    expect(stored.metadata['managedFields']).not.toHaveLength(0)
  })

  it('custom resources and other versions have none', async () => {
    await world.create(
      world.resource('customresourcedefinitions', 'apiextensions.k8s.io'),
      definitionOf('example.com', 'Widget'),
    )
    await expect
      .poll(() => world.resources.find({ group: 'example.com', version: 'v1', resource: 'widgets' }))
      .toBeDefined()
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', labels } }
    await expect.poll(async () => (await world.send({ method: 'POST', path: WIDGETS, body: widget })).status).toBe(201)
    for (const path of [`${WIDGETS}/w`, `${WIDGETS}?${ALL}`, SCALES]) {
      const whole = JSON.stringify(await ask(path, JSON_TYPE))
      const dropped = JSON.stringify(await ask(path, `${JSON_TYPE};${DROP}`))
      if (path !== SCALES) expect(whole).toContain('"managedFields":[')
      expect(dropped).not.toContain('"managedFields":')
    }
  })

  it.each([`${DROP}+spec`, `drop=spec+metadata.managedFields`, `${DROP}+metadata.managedFields`])(
    'other fields are ignored: %s',
    async (parameter) => {
      const { metadata } = await ask(`${MAPS}/a`, `${JSON_TYPE};${parameter}`)
      expect(metadata).not.toHaveProperty('managedFields')
      expect(metadata).toHaveProperty('name')
    },
  )

  it.each(['drop=', 'drop=metadata', 'drop=managedFields', 'drop=data'])('ignores %s', async (parameter) => {
    expect(await ask(`${MAPS}/a`, `${JSON_TYPE};${parameter}`)).toEqual(await ask(`${MAPS}/a`, JSON_TYPE))
  })
})

it('without the gate the parameter is ignored', async () => {
  await openWith([])
  expect(await ask(`${MAPS}/a`, `${JSON_TYPE};${DROP}`)).toEqual(await ask(`${MAPS}/a`, JSON_TYPE))
})
