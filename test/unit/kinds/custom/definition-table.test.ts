import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import type { StoredObject } from '../../../../src/api/read.ts'
import { canonicalJson } from '../../../../src/codec/json-encode.ts'
import { builtInResources, DefinitionTable, RENAME_VERSION } from '../../../../src/kinds/kinds.ts'
import { loadBuiltInSchema } from '../../../../src/schema/schema.ts'
import { matcherOf } from '../../../../src/store/selection.ts'
import { ServedObject } from '../../../../src/registry/served-store.ts'
import { BytesObject } from '../../../../src/store/stored-object.ts'
import { openWorld } from '../../../rigs/api-world.ts'
import { outOfProportion } from '../../../rigs/processor-time.ts'

const GROUP = 'stable.example.com'

interface Given {
  readonly generation?: number
  readonly versions?: readonly object[]
  readonly established?: boolean
  readonly accepted?: boolean
  readonly plural?: string
  readonly kind?: string
}

function definition(given: Given = {}): ApiObject {
  const { generation = 1, established = true, accepted = true, plural = 'crontabs', kind = 'CronTab' } = given
  const names = { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List`, shortNames: ['ct'] }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } }
  const versions = given.versions ?? [{ name: 'v1', served: true, storage: true, schema }]
  const conditions = [
    { type: 'NamesAccepted', status: accepted ? 'True' : 'False' },
    { type: 'Established', status: established ? 'True' : 'False' },
  ]
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `${plural}.${GROUP}`, uid: 'u', generation },
    spec: { group: GROUP, names, scope: 'Namespaced', versions },
    status: { conditions, acceptedNames: accepted ? names : {}, storedVersions: ['v1'] },
  } as unknown as ApiObject
}

function stored(object: ApiObject, revision: number): StoredObject {
  return new BytesObject(
    { namespace: '', name: object.metadata['name'] as string },
    revision,
    Buffer.from(JSON.stringify(object)),
  )
}

function open() {
  const schema = loadBuiltInSchema()
  const retired: [string, boolean][] = []
  const table = new DefinitionTable({
    schema,
    builtIn: builtInResources(schema, canonicalJson),
    encode: canonicalJson,
    serve: (object, shown, type) => new ServedObject(object, shown, type),
    converter: () => RENAME_VERSION,
    onRetired: ([form], isGone) => void retired.push([form?.storagePrefix ?? '', isGone]),
  })
  return { table, retired }
}

const place = (version: string, resource = 'crontabs') => ({ group: GROUP, version, resource })
const groupsOf = (table: DefinitionTable) => table.groups().filter(({ group }) => group === GROUP)

describe('finalizers of custom objects', () => {
  const QUALIFIED = 'prefer a domain-qualified finalizer name'
  const OTHERS = 'to avoid accidental conflicts with other finalizer writers'

  it('are to have names that nobody else uses; those that are new are told of, in order (W-079, P-365)', async () => {
    const { table } = open()
    table.put(stored(definition(), 1))
    const { strategy } = table.find(place('v1'))!
    const object = (...finalizers: readonly string[]): ApiObject => ({
      kind: 'CronTab',
      apiVersion: `${GROUP}/v1`,
      metadata: { name: 'a', finalizers },
    })
    const context = (await openWorld()).context()
    const given = object('plain', 'example.com', 'example.com/x', 'orphan', 'foregroundDeletion', 'kubernetes', 'old')
    expect(strategy.warnings(given, object('old'), context)).toEqual([
      `metadata.finalizers: "example.com": ${QUALIFIED} including a path (/) ${OTHERS}`,
      `metadata.finalizers: "plain": ${QUALIFIED} ${OTHERS}`,
    ])
  })
})

describe('definitions that come and go', () => {
  it('make resources that are served from then on', () => {
    const { table } = open()
    expect(table.find(place('v1'))).toBeUndefined()
    table.put(stored(definition(), 1))
    expect(table.find(place('v1'))).toMatchObject({ kind: 'CronTab', isCustom: true, namespaced: true })
    expect(table.knowsKind({ group: GROUP, version: 'v1', kind: 'CronTab' })).toBe(true)
    table.remove(`crontabs.${GROUP}`, 2)
    expect(table.find(place('v1'))).toBeUndefined()
    expect(groupsOf(table)).toEqual([])
  })

  it.each([
    ['v1beta2', 'Deployment', true],
    ['v1beta2', 'Pod', false],
    ['v7', 'Deployment', false],
  ])('stand beside kinds that other versions of a group have or had: apps/%s %s', (version, kind, isKnown) => {
    expect(open().table.knowsKind({ group: 'apps', version, kind })).toBe(isKnown)
  })

  it('are served once their names are accepted, and told of when they are established (P-347)', () => {
    const { table } = open()
    table.put(stored(definition({ accepted: false, established: false }), 1))
    expect(table.find(place('v1'))).toBeUndefined()
    table.put(stored(definition({ established: false }), 2))
    expect(table.find(place('v1'))).toBeDefined()
    expect(groupsOf(table)).toEqual([])
    table.put(stored(definition(), 3))
    expect(groupsOf(table)).toMatchObject([{ versions: [{ version: 'v1', resources: [{ plural: 'crontabs' }] }] }])
  })

  it('end the watches of their objects where their specification changes, and only there (P-352)', () => {
    const { table, retired } = open()
    table.put(stored(definition({ established: false }), 1))
    table.put(stored(definition(), 2))
    expect(retired).toEqual([])
    table.put(stored(definition({ generation: 2 }), 3))
    expect(retired).toEqual([[`${GROUP}/crontabs`, false]])
    table.remove(`crontabs.${GROUP}`, 4)
    expect(retired.at(-1)).toEqual([`${GROUP}/crontabs`, true])
  })

  it.each([
    ['of a kind without a status of its own', {}, true],
    ['of a kind with one', { subresources: { status: {} } }, false],
  ])('let changes count by what they change: the status %s (W-134)', (_name, more, counts) => {
    const { table } = open()
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const versions = [{ name: 'v1', served: true, storage: true, schema, ...more }]
    table.put(stored(definition({ versions }), 1))
    const { strategy } = table.find(place('v1'))!
    const object = (part: object): ApiObject => ({ kind: 'CronTab', apiVersion: `${GROUP}/v1`, metadata: {}, ...part })
    const bumps = (before: object, after: object): boolean => strategy.bumpsGeneration(object(before), object(after))
    expect(bumps({ spec: { n: 1 } }, { spec: { n: 2 } })).toBe(true)
    expect(bumps({ metadata: { labels: {} } }, { metadata: { labels: { a: 'b' } } })).toBe(false)
    expect(bumps({ status: { n: 1 } }, { status: { n: 2 } })).toBe(counts)
  })

  it('are not set back by what is older', () => {
    const { table } = open()
    table.put(stored(definition(), 5))
    table.put(stored(definition({ accepted: false, established: false }), 4))
    table.remove(`crontabs.${GROUP}`, 4)
    expect(table.find(place('v1'))).toBeDefined()
  })

  it('keep the groups of others the same record', () => {
    const { table } = open()
    table.put(stored(definition(), 1))
    const before = table.groups()
    expect(table.groups()).toBe(before)
    const other = definition({ plural: 'others', kind: 'Other' })
    const spec = { ...(other['spec'] as object), group: 'other.example.com' }
    table.put(stored({ ...other, metadata: { ...other.metadata, name: 'others.other.example.com' }, spec }, 2))
    expect(groupsOf(table)[0]).toBe(before.find(({ group }) => group === GROUP))
  })
})

describe('versions', () => {
  const schema = { openAPIV3Schema: { type: 'object' } }
  const version = (name: string, more: object = {}) => ({ name, served: true, storage: false, schema, ...more })

  it('are told newest and most stable first, served ones alone (P-347, P-362)', () => {
    const { table } = open()
    const names = ['v1alpha1', 'v10', 'v2', 'v1beta2', 'v1beta10', 'foo', 'v1']
    const versions = names.map((name) => version(name, { storage: name === 'v1', served: name !== 'v2' }))
    table.put(stored(definition({ versions }), 1))
    const told = groupsOf(table)[0]?.versions.map((one) => one.version)
    expect(told).toEqual(['v10', 'v1', 'v1beta10', 'v1beta2', 'v1alpha1', 'foo'])
    expect(table.find(place('v2'))).toBeUndefined()
  })

  it.each<[string, object, readonly string[]]>([
    ['a better one', { deprecated: true }, [`${GROUP}/v1beta1 CronTab is deprecated; use ${GROUP}/v1 CronTab`]],
    ['words of its own', { deprecated: true, deprecationWarning: 'gone soon' }, ['gone soon']],
    ['nothing where it is not deprecated', {}, []],
  ])('are warned of with %s', (_name, more, expected) => {
    const { table } = open()
    table.put(stored(definition({ versions: [version('v1', { storage: true }), version('v1beta1', more)] }), 1))
    expect(table.find(place('v1beta1'))?.deprecations).toEqual(expected)
  })

  it('cost as much as their number in discovery and in the documents', () => {
    const schema = { openAPIV3Schema: { type: 'object' } }
    const read = (size: number): void => {
      const { table } = open()
      const versions = Array.from({ length: size }, (_, i) => ({
        name: `v${i + 1}`,
        served: true,
        storage: i === 0,
        schema,
      }))
      table.put(stored(definition({ versions }), 1))
      expect(groupsOf(table)[0]?.versions).toHaveLength(size)
      const schemas = table.published().flatMap(({ resources }) => resources.map((each) => each.schema))
      expect(schemas).toEqual(versions.map(() => schema.openAPIV3Schema))
    }
    expect(outOfProportion(3000, read)).toBe('')
  })

  it('are not served in the place of what is built in', () => {
    const { table } = open()
    const object = definition({ plural: 'foos', kind: 'Foo' })
    const spec = { ...(object['spec'] as object), group: 'apps' }
    table.put(stored({ ...object, metadata: { ...object.metadata, name: 'foos.apps' }, spec }, 1))
    expect(table.find({ group: 'apps', version: 'v1', resource: 'foos' })).toBeUndefined()
  })
})

describe('what is stored', () => {
  const spec = (properties: object) => ({
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
  })
  const object = stored(
    { kind: 'CronTab', apiVersion: `${GROUP}/v1`, metadata: { name: 'a', namespace: 'ns' }, spec: { old: 1 } },
    7,
  )
  const signal = new AbortController().signal

  it('is handed out as it is while its definition never changed', async () => {
    const { table } = open()
    table.put(stored(definition(), 1))
    const form = table.find(place('v1'))?.stored.form
    expect((await form?.fromStored([object], signal))?.[0]).toBe(object)
  })

  it('is read by the definition of today', async () => {
    const { table } = open()
    const versions = [
      { name: 'v1', served: true, storage: true, schema: spec({ later: { type: 'string', default: 'x' } }) },
    ]
    table.put(stored(definition({ versions, generation: 2 }), 1))
    const form = table.find(place('v1'))?.stored.form
    const [shown] = (await form?.fromStored([object], signal)) ?? []
    expect(shown?.object()['spec']).toEqual({ later: 'x' })
    expect(shown?.revision).toBe(7)
    expect((await form?.fromStored([object], signal))?.[0]).toBe(shown)
  })

  it('shows the defaults of its version where it was written in another, which does not fill them in (P-367)', async () => {
    const { table } = open()
    const both = spec({ old: { type: 'integer' }, later: { type: 'string', default: 'x' } })
    const versions = [
      { name: 'v1', served: true, storage: true, schema: both },
      { name: 'v2', served: true, storage: false, schema: spec({ old: { type: 'integer' } }) },
    ]
    table.put(stored(definition({ versions }), 1))
    const sent = { kind: 'CronTab', apiVersion: `${GROUP}/v2`, metadata: { name: 'a' }, spec: { old: 2 } }
    const written = await table.find(place('v2'))?.stored.form?.toStored(sent, signal)
    expect(written).toMatchObject({ apiVersion: `${GROUP}/v1`, spec: { old: 2 } })
    const [shown] = (await table.find(place('v1'))?.stored.form?.fromStored([stored(written!, 7)], signal)) ?? []
    expect(shown?.object()).toMatchObject({ spec: { old: 2, later: 'x' } })
  })

  it('is selected by what the definition of today shows', () => {
    const { table } = open()
    const schema = spec({ later: { type: 'string', default: 'x' } })
    const selectableFields = [{ jsonPath: '.spec.later' }]
    const versions = [{ name: 'v1', served: true, storage: true, schema, selectableFields }]
    table.put(stored(definition({ versions, generation: 2 }), 1))
    const resource = table.find(place('v1'))!.stored
    const selecting = (value: string): boolean | undefined =>
      matcherOf(resource, { fields: { terms: [{ field: 'spec.later', operator: '=', value }] } })?.matches(object)
    expect([selecting('x'), selecting('')]).toEqual([true, false])
  })

  it('takes the name of the version that is asked for, and loses what that does not know', async () => {
    const { table } = open()
    const versions = [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: spec({ old: { type: 'integer' }, both: { type: 'string', default: 'd' } }),
      },
      { name: 'v2', served: true, storage: false, schema: spec({ both: { type: 'string' } }) },
    ]
    table.put(stored(definition({ versions }), 1))
    const form = table.find(place('v2'))?.stored.form
    const [shown] = (await form?.fromStored([object], signal)) ?? []
    expect(shown?.object()).toMatchObject({ apiVersion: `${GROUP}/v2`, spec: { both: 'd' } })
    const sent = { kind: 'CronTab', apiVersion: `${GROUP}/v2`, metadata: { name: 'a' }, spec: { both: 'x', odd: 1 } }
    expect(await form?.toStored(sent as unknown as ApiObject, signal)).toMatchObject({
      apiVersion: `${GROUP}/v1`,
      spec: { both: 'x' },
    })
  })
})
