// Server-side apply as short scripts: who applies or updates what, then what the object is and who owns which fields.
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/api/status.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { setOfFields } from '../../../src/patch/field-set.ts'
import { trackApply, trackUpdate } from '../../../src/patch/field-tracking.ts'
import { decodeObject } from '../../../src/schema/decode.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'

const SCHEMA = loadBuiltInSchema()

type Step =
  | { readonly who: string; readonly applies: ValueMap; readonly forced?: true; readonly conflicts?: readonly string[] }
  | { readonly who: string; readonly updates: (object: ValueMap) => ValueMap }

interface Script {
  readonly kind: 'ConfigMap' | 'Deployment' | 'Service'
  readonly steps: readonly Step[]
  /** The members beside kind, apiVersion and metadata, in part. */
  readonly object: ValueMap
  /** By `manager operation`: the paths that it owns, sorted. */
  readonly owners: Readonly<Record<string, readonly string[]>>
}

const VERSIONS = { ConfigMap: 'v1', Service: 'v1', Deployment: 'apps/v1' } as const
const GROUPS = { ConfigMap: '', Service: '', Deployment: 'apps' } as const

function run({ kind, steps }: Script): { object: ValueMap; conflicts: (readonly string[])[] } {
  const schema = SCHEMA.kind({ group: GROUPS[kind], version: 'v1', kind })!
  const apiVersion = VERSIONS[kind]
  const type = { kind, apiVersion }
  const versions = { shape: () => schema.shape, convert: (object: ValueMap) => object }
  let live: ValueMap = type
  const conflicts: (readonly string[])[] = []
  steps.forEach((step, index) => {
    const now = `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`
    const request = { versions, apiVersion, manager: step.who, subresource: '', reset: setOfFields([]), now, live }
    try {
      const next =
        'applies' in step
          ? trackApply(request, { ...type, metadata: { name: 'a' }, ...step.applies }, step.forced === true)
          : trackUpdate(request, step.updates(live))
      live = { ...decodeObject(next, schema.shape).value, ...type }
      live = { ...live, metadata: { ...(live['metadata'] as ValueMap), uid: 'u' } }
      conflicts.push([])
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      conflicts.push((error.details?.causes ?? []).map((cause) => cause.field ?? '').toSorted())
    }
  })
  return { object: live, conflicts }
}

function ownersOf(object: ValueMap): Record<string, string[]> {
  const entries = ((object['metadata'] as ValueMap)['managedFields'] ?? []) as readonly ValueMap[]
  return Object.fromEntries(
    entries.map((entry) => [
      `${entry['manager'] as string} ${entry['operation'] as string}`,
      paths(entry['fieldsV1'] as ValueMap),
    ]),
  )
}

function paths(node: ValueMap, prefix = ''): string[] {
  return Object.entries(node)
    .flatMap(([key, below]) => {
      const path = `${prefix}/${key}`
      return Object.keys(below as ValueMap).length === 0 ? [path] : paths(below as ValueMap, path)
    })
    .toSorted()
}

const container = (name: string, image: string, more: ValueMap = {}): ValueMap => ({ name, image, ...more })
const deployment = (containers: readonly ValueMap[], more: ValueMap = {}): ValueMap => ({
  spec: { template: { spec: { containers } }, ...more },
})
const CONTAINERS = '/f:spec/f:template/f:spec/f:containers'

const SCRIPTS: Readonly<Record<string, Script>> = {
  'an applier owns what it applies': {
    kind: 'ConfigMap',
    steps: [{ who: 'one', applies: { data: { a: '1' } } }],
    object: { data: { a: '1' } },
    owners: { 'one Apply': ['/f:data/f:a'] },
  },
  'two appliers of different fields own each their own': {
    kind: 'ConfigMap',
    steps: [
      { who: 'one', applies: { data: { a: '1' } } },
      { who: 'two', applies: { data: { b: '2' } } },
    ],
    object: { data: { a: '1', b: '2' } },
    owners: { 'one Apply': ['/f:data/f:a'], 'two Apply': ['/f:data/f:b'] },
  },
  'two appliers of the same value share it': {
    kind: 'ConfigMap',
    steps: [
      { who: 'one', applies: { data: { a: '1' } } },
      { who: 'two', applies: { data: { a: '1' } } },
    ],
    object: { data: { a: '1' } },
    owners: { 'one Apply': ['/f:data/f:a'], 'two Apply': ['/f:data/f:a'] },
  },
  'another value is a conflict, and nothing changes': {
    kind: 'ConfigMap',
    steps: [
      { who: 'one', applies: { data: { a: '1' } } },
      { who: 'two', applies: { data: { a: '2' } }, conflicts: ['.data.a'] },
    ],
    object: { data: { a: '1' } },
    owners: { 'one Apply': ['/f:data/f:a'] },
  },
  'a forced apply takes the field': {
    kind: 'ConfigMap',
    steps: [
      { who: 'one', applies: { data: { a: '1', b: '1' } } },
      { who: 'two', applies: { data: { a: '2' } }, forced: true },
    ],
    object: { data: { a: '2', b: '1' } },
    owners: { 'one Apply': ['/f:data/f:b'], 'two Apply': ['/f:data/f:a'] },
  },
  'what an applier leaves out goes': {
    kind: 'ConfigMap',
    steps: [
      { who: 'one', applies: { data: { a: '1', b: '2' } } },
      { who: 'one', applies: { data: { a: '1' } } },
    ],
    object: { data: { a: '1' } },
    owners: { 'one Apply': ['/f:data/f:a'] },
  },
  'what another applier has too stays': {
    kind: 'ConfigMap',
    steps: [
      { who: 'one', applies: { data: { a: '1', b: '2' } } },
      { who: 'two', applies: { data: { b: '2' } } },
      { who: 'one', applies: { data: { a: '1' } } },
    ],
    object: { data: { a: '1', b: '2' } },
    owners: { 'one Apply': ['/f:data/f:a'], 'two Apply': ['/f:data/f:b'] },
  },
  'an update takes the field from the applier': {
    kind: 'ConfigMap',
    steps: [
      { who: 'one', applies: { data: { a: '1', b: '1' } } },
      { who: 'ctl', updates: (object) => ({ ...object, data: { a: '2', b: '1' } }) },
    ],
    object: { data: { a: '2', b: '1' } },
    owners: { 'one Apply': ['/f:data/f:b'], 'ctl Update': ['/f:data/f:a'] },
  },
  'an update with the same values owns nothing': {
    kind: 'ConfigMap',
    steps: [
      { who: 'one', applies: { data: { a: '1' } } },
      { who: 'ctl', updates: (object) => object },
    ],
    object: { data: { a: '1' } },
    owners: { 'one Apply': ['/f:data/f:a'] },
  },
  'a field that an updater owns outlives its applier': {
    kind: 'ConfigMap',
    steps: [
      { who: 'one', applies: { data: { a: '1' } } },
      { who: 'ctl', updates: (object) => ({ ...object, data: { a: '1', b: '2' } }) },
      { who: 'one', applies: { data: { a: '1', b: '2' } } },
      { who: 'one', applies: { data: { a: '1' } } },
    ],
    object: { data: { a: '1', b: '2' } },
    owners: { 'one Apply': ['/f:data/f:a'], 'ctl Update': ['/f:data/f:b'] },
  },
  'a removal by update leaves everyone': {
    kind: 'ConfigMap',
    steps: [
      { who: 'one', applies: { data: { a: '1', b: '2' } } },
      { who: 'ctl', updates: (object) => ({ ...object, data: { a: '1' } }) },
    ],
    object: { data: { a: '1' } },
    owners: { 'one Apply': ['/f:data/f:a'] },
  },
  'items of a map list merge by their key': {
    kind: 'Deployment',
    steps: [
      { who: 'one', applies: deployment([container('a', 'i:1')]) },
      { who: 'two', applies: deployment([container('b', 'i:2')]) },
    ],
    object: deployment([container('a', 'i:1'), container('b', 'i:2')]),
    owners: {
      'one Apply': ['.', 'f:image', 'f:name'].map((field) => `${CONTAINERS}/k:{"name":"a"}/${field}`),
      'two Apply': ['.', 'f:image', 'f:name'].map((field) => `${CONTAINERS}/k:{"name":"b"}/${field}`),
    },
  },
  'an item that its only owner drops goes': {
    kind: 'Deployment',
    steps: [
      { who: 'one', applies: deployment([container('a', 'i:1'), container('b', 'i:2')]) },
      { who: 'one', applies: deployment([container('b', 'i:2')]) },
    ],
    object: deployment([container('b', 'i:2')]),
    owners: { 'one Apply': ['.', 'f:image', 'f:name'].map((field) => `${CONTAINERS}/k:{"name":"b"}/${field}`) },
  },
  'an item stays as long as somebody owns a part of it': {
    kind: 'Deployment',
    steps: [
      { who: 'one', applies: deployment([container('a', 'i:1')]) },
      { who: 'two', applies: deployment([{ name: 'a', tty: true }]) },
      { who: 'one', applies: deployment([]) },
    ],
    object: deployment([{ name: 'a', tty: true }]),
    owners: {
      'two Apply': ['.', 'f:name', 'f:tty'].map((field) => `${CONTAINERS}/k:{"name":"a"}/${field}`),
    },
  },
  'an atomic struct is replaced whole': {
    kind: 'Deployment',
    steps: [
      { who: 'one', applies: { spec: { selector: { matchLabels: { a: '1', b: '2' } } } } },
      { who: 'one', applies: { spec: { selector: { matchLabels: { a: '1' } } } } },
    ],
    object: { spec: { selector: { matchLabels: { a: '1' } } } },
    owners: { 'one Apply': ['/f:spec/f:selector'] },
  },
  'keys of items take their default': {
    kind: 'Service',
    steps: [
      { who: 'one', applies: { spec: { ports: [{ port: 80 }] } } },
      { who: 'two', applies: { spec: { ports: [{ port: 80, protocol: 'UDP' }] } } },
    ],
    object: { spec: { ports: [{ port: 80 }, { port: 80, protocol: 'UDP' }] } },
    owners: {
      'one Apply': ['.', 'f:port'].map((field) => `/f:spec/f:ports/k:{"port":80,"protocol":"TCP"}/${field}`),
      'two Apply': ['.', 'f:port', 'f:protocol'].map(
        (field) => `/f:spec/f:ports/k:{"port":80,"protocol":"UDP"}/${field}`,
      ),
    },
  },
  'the first apply to something untracked finds an owner for the rest': {
    kind: 'ConfigMap',
    steps: [
      { who: 'x', updates: (object) => ({ ...object, metadata: { name: 'a' }, data: { a: '1' } }) },
      {
        who: 'x',
        updates: (object) => ({ ...object, metadata: { ...(object['metadata'] as ValueMap), managedFields: [] } }),
      },
      { who: 'one', applies: { data: { b: '2' } } },
    ],
    object: { data: { a: '1', b: '2' } },
    owners: { 'one Apply': ['/f:data/f:b'], 'before-first-apply Update': ['/f:data/.', '/f:data/f:a'] },
  },
}

describe('server-side apply', () => {
  it.each(Object.entries(SCRIPTS))('%s', (_name, script) => {
    const { object, conflicts } = run(script)
    expect(conflicts).toEqual(script.steps.map((step) => ('conflicts' in step ? step.conflicts : [])))
    expect(object).toMatchObject(script.object)
    expect(ownersOf(object)).toEqual(sortedValues(script.owners))
  })

  it.each(Object.entries(SCRIPTS))('a repeated last apply changes nothing: %s', (_name, script) => {
    const last = script.steps.at(-1)!
    if (!('applies' in last) || last.conflicts !== undefined) return
    const once = run(script).object
    const twice = run({ ...script, steps: [...script.steps, last] }).object
    expect(twice).toEqual(once)
  })
})

function sortedValues(owners: Script['owners']): Record<string, string[]> {
  return Object.fromEntries(Object.entries(owners).map(([who, fields]) => [who, fields.toSorted()]))
}
