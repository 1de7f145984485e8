import { describe, expect, it } from 'vitest'
import { isList, isMap, type Value, type ValueMap } from '../../../src/api/value.ts'
import { customOpenApiPart, type CustomOpenApiResource } from '../../../src/schema/openapi-custom.ts'
import { openApiDocument } from '../../../src/schema/openapi-document.ts'
import type { OpenApiPart } from '../../../src/schema/openapi-model.ts'
import { builtInOpenApiParts, builtInTypeSchemas } from '../../../src/schema/openapi-parts.ts'

const info = { title: 'Test', version: 'v1' }
const parts = builtInOpenApiParts()

/** Runs a generator to its end. */
function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

const openApiV2 = (all: readonly OpenApiPart[]): ValueMap => finish(openApiDocument(2, all, info))
const openApiV3 = (part: OpenApiPart): ValueMap => finish(openApiDocument(3, [part], info))
const v2 = openApiV2(parts)

function v3(key: string): ValueMap {
  const part = parts.find((one) => one.key === key)
  if (part === undefined) throw new Error(`no part ${key}`)
  return openApiV3(part)
}

/** The value at a path of keys. */
function at(value: Value | undefined, ...keys: readonly string[]): Value | undefined {
  return keys.reduce<Value | undefined>((inner, key) => (isMap(inner) ? inner[key] : undefined), value)
}

function references(value: Value): readonly string[] {
  if (isList(value)) return value.flatMap(references)
  if (!isMap(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  )
}

function operations(document: ValueMap): readonly (readonly [string, string, Value])[] {
  return Object.entries(document['paths'] as ValueMap).flatMap(([path, item]) =>
    Object.entries(item as ValueMap).flatMap(([method, operation]) =>
      method === 'parameters' ? [] : [[path, method, operation] as const],
    ),
  )
}

describe('both versions', () => {
  const core = v3('api/v1')

  it('say every type that they refer to', () => {
    const missing = (document: ValueMap, ...place: readonly string[]) => {
      const known = at(document, ...place) as ValueMap
      return references(document).filter((ref) => !Object.hasOwn(known, ref.slice(ref.lastIndexOf('/') + 1)))
    }
    expect(missing(v2, 'definitions')).toEqual([])
    for (const { key } of parts) expect(missing(v3(key), 'components', 'schemas')).toEqual([])
    expect(Object.keys(v2['definitions'] as ValueMap).length).toBe(624)
  })

  it('give every operation a name of its own', () => {
    const ids = operations(v2).map(([, , operation]) => at(operation, 'operationId'))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(
      expect.arrayContaining([
        'listCoreV1NamespacedPod',
        'listCoreV1PodForAllNamespaces',
        'createAppsV1NamespacedDeployment',
        'deleteAppsV1CollectionNamespacedDeployment',
        'patchRbacAuthorizationV1ClusterRole',
        'readAppsV1NamespacedDeploymentScale',
        'replaceFlowcontrolApiserverV1FlowSchemaStatus',
        'createCoreV1NamespacedPodEviction',
        'connectCoreV1GetNamespacedPodExec',
        'connectCoreV1PutNamespacedServiceProxyWithPath',
        'watchCoreV1NamespacedConfigMapList',
        'watchCoreV1NodeList',
        'getAppsV1APIResources',
        'getAppsAPIGroup',
        'getCoreAPIVersions',
        'getCodeVersion',
      ]),
    )
  })

  it('let clients find the patch of a kind and what it takes (P-513)', () => {
    const path = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}'
    const patch = at(v3('apis/apps/v1'), 'paths', path, 'patch')
    expect(at(patch, 'x-kubernetes-group-version-kind')).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' })
    expect((at(patch, 'parameters') as ValueMap[]).map(({ name }) => name)).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ])
    expect(Object.keys(at(patch, 'requestBody', 'content') as ValueMap)).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ])
    const old = at(v2, 'paths', path, 'patch')
    expect((at(old, 'parameters') as ValueMap[]).map(({ name }) => name)).toContain('fieldValidation')
  })

  it('put what all operations of a path take at the path', () => {
    const item = at(core, 'paths', '/api/v1/namespaces/{namespace}/pods/{name}')
    expect((at(item, 'parameters') as ValueMap[]).map(({ name }) => name)).toEqual(['name', 'namespace', 'pretty'])
    expect(at(item, 'get', 'parameters')).toBeUndefined()
    const list = at(core, 'paths', '/api/v1/pods', 'parameters') as ValueMap[]
    expect(list.map(({ name }) => name)).toEqual([
      'allowWatchBookmarks',
      'continue',
      'fieldSelector',
      'labelSelector',
      'limit',
      'pretty',
      'resourceVersion',
      'resourceVersionMatch',
      'sendInitialEvents',
      'shardSelector',
      'timeoutSeconds',
      'watch',
    ])
  })

  it('offer the methods that a resource has, and no others', () => {
    const methods = (path: string) =>
      Object.keys(at(core, 'paths', path) as ValueMap).filter((key) => key !== 'parameters')
    expect(methods('/api/v1/namespaces')).toEqual(['get', 'post'])
    expect(methods('/api/v1/namespaces/{namespace}/configmaps')).toEqual(['get', 'post', 'delete'])
    expect(methods('/api/v1/componentstatuses/{name}')).toEqual(['get'])
    expect(methods('/api/v1/namespaces/{namespace}/pods/{name}/binding')).toEqual(['post'])
    expect(methods('/api/v1/namespaces/{namespace}/pods/{name}/log')).toEqual(['get'])
    expect(methods('/api/v1/nodes/{name}/proxy/{path}').length).toBe(7)
    expect(at(core, 'paths', '/api/v1/namespaces/{namespace}/bindings/{name}')).toBeUndefined()
  })

  it('say what a delete answers with', () => {
    const answer = (path: string) => at(v2, 'paths', path, 'delete', 'responses', '200', 'schema', '$ref')
    expect(answer('/api/v1/namespaces/{namespace}/pods/{name}')).toBe('#/definitions/io.k8s.api.core.v1.Pod')
    expect(answer('/api/v1/namespaces/{namespace}/configmaps/{name}')).toMatch(/v1\.Status$/)
  })
})

describe('the schema of a type', () => {
  const types = builtInTypeSchemas()
  const both = (name: string) => [types.schema(name, 3), types.schema(name, 2)] as const

  it('says of lists and objects what merging needs', () => {
    const [now, old] = both('io.k8s.api.core.v1.Container')
    for (const schema of [now, old]) {
      expect(at(schema, 'properties', 'ports')).toMatchObject({
        type: 'array',
        'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'containerPort',
        'x-kubernetes-patch-strategy': 'merge',
      })
      expect(schema).toMatchObject({ type: 'object', required: ['name'] })
    }
    expect(both('io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector')[0]).toMatchObject({
      'x-kubernetes-map-type': 'atomic',
    })
    expect(at(both('io.k8s.api.core.v1.PersistentVolumeSpec')[0], 'properties', 'claimRef')).toMatchObject({
      'x-kubernetes-map-type': 'granular',
    })
  })

  it('wraps a reference that something is said beside, in version 3 only', () => {
    const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
    const [now, old] = both('io.k8s.api.core.v1.Pod')
    expect(at(now, 'properties', 'metadata')).toMatchObject({
      default: {},
      allOf: [{ $ref: `#/components/schemas/${name}` }],
    })
    expect(at(old, 'properties', 'metadata')).toMatchObject({ $ref: `#/definitions/${name}` })
    expect(at(old, 'properties', 'metadata', 'default')).toBeUndefined()
  })

  it('gives forms their own words in each version', () => {
    const meta = 'io.k8s.apimachinery.pkg'
    expect(both(`${meta}.apis.meta.v1.Time`)[0]).toMatchObject({ type: 'string', format: 'date-time' })
    const [quantity, oldQuantity] = both(`${meta}.api.resource.Quantity`)
    expect(quantity).toMatchObject({ oneOf: [{ type: 'string' }, { type: 'number' }] })
    expect(oldQuantity).toMatchObject({ type: 'string' })
    expect(both(`${meta}.util.intstr.IntOrString`)[1]).toMatchObject({ type: 'string', format: 'int-or-string' })
    const extra = at(both('io.k8s.api.authentication.v1.UserInfo')[1], 'properties', 'extra')
    expect(extra).toMatchObject({ type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } })
    expect(at(both('io.k8s.api.core.v1.Secret')[0], 'properties', 'data', 'additionalProperties')).toEqual({
      type: 'string',
      format: 'byte',
    })
  })

  it('says in a sentence what kinds, their parts and their members are for', () => {
    const text = (name: string, ...keys: readonly string[]) => at(both(name)[0], ...keys, 'description')
    expect(text('io.k8s.api.core.v1.Pod')).toMatch(/^Containers that run together/)
    expect(text('io.k8s.api.core.v1.PodList')).toBe('A list of Pod.')
    expect(text('io.k8s.api.batch.v1.JobSpec')).toBe('The desired state of a Job.')
    expect(text('io.k8s.api.core.v1.Container', 'properties', 'image')).toBe('The image that is run.')
    expect(text('io.k8s.api.core.v1.Probe', 'properties', 'httpGet')).toMatch(/^Asks over HTTP/)
    expect(text('io.k8s.api.apps.v1.ReplicaSet', 'properties', 'metadata')).toMatch(/^Standard object's metadata\./)
    expect(text('io.k8s.api.apps.v1.ReplicaSetList', 'properties', 'metadata')).toMatch(/^Standard list metadata\./)
    expect(text('io.k8s.api.core.v1.Pod', 'properties', 'apiVersion')).toMatch(/^APIVersion defines /)
    expect(text('io.k8s.api.core.v1.Pod', 'properties', 'kind')).toMatch(/^Kind is /)
    const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
    expect(text(meta, 'properties', 'creationTimestamp')).toMatch(/^CreationTimestamp is a timestamp /)
  })

  it('says of every field something beside the reference that it is, and of what is in lists and maps nothing', () => {
    const [now] = both('io.k8s.api.core.v1.PodSpec')
    expect(at(now, 'properties', 'affinity')).toMatchObject({
      allOf: [{ $ref: expect.stringMatching(/Affinity$/) as string }],
    })
    expect(at(now, 'properties', 'overhead', 'additionalProperties')).toEqual({
      $ref: '#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity',
    })
  })

  it('names the kinds that it is the schema of (P-513)', () => {
    expect(both('io.k8s.api.apps.v1.Deployment')[0]).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
    })
    const options = both('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions')[0]
    const kinds = at(options, 'x-kubernetes-group-version-kind') as ValueMap[]
    expect(kinds).toContainEqual({ group: 'batch', kind: 'DeleteOptions', version: 'v1' })
    expect(kinds.length).toBeGreaterThan(20)
  })

  it('flattens inlined structs and tells of unions', () => {
    const probe = both('io.k8s.api.core.v1.Probe')[0]
    expect(Object.keys(at(probe, 'properties') as ValueMap)).toEqual(
      expect.arrayContaining(['httpGet', 'periodSeconds']),
    )
    expect(both('io.k8s.api.core.v1.SeccompProfile')[0]).toMatchObject({
      'x-kubernetes-unions': [
        { discriminator: 'type', 'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' } },
      ],
    })
  })

  it('is there for published types only', () => {
    expect(types.schema('io.k8s.apimachinery.pkg.apis.meta.v1.Table', 3)).toBeUndefined()
    expect(types.schema('nothing', 3)).toBeUndefined()
  })
})

describe('custom resources', () => {
  const schema: ValueMap = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        properties: {
          port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          note: { type: 'string', nullable: true, default: 'x' },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
          list: { type: 'array', items: { type: 'object', oneOf: [{ required: ['a'] }] } },
        },
      },
    },
  }
  const resource: CustomOpenApiResource = {
    group: 'stable.example.com',
    version: 'v1',
    kind: 'CronTab',
    plural: 'crontabs',
    listKind: 'CronTabList',
    namespaced: true,
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    subresources: ['status', 'scale'],
    schema,
  }
  const part = customOpenApiPart({ group: 'stable.example.com', version: 'v1' }, [resource], builtInTypeSchemas())
  const now = openApiV3(part)
  const name = 'com.example.stable.v1.CronTab'

  it('stand in version 3 as they were defined, with what every object has', () => {
    const shown = at(now, 'components', 'schemas', name)
    expect(at(shown, 'properties', 'spec')).toEqual(at(schema, 'properties', 'spec'))
    expect(Object.keys(at(shown, 'properties') as ValueMap).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec'])
    expect(at(shown, 'x-kubernetes-group-version-kind')).toEqual([
      { group: 'stable.example.com', kind: 'CronTab', version: 'v1' },
    ])
    expect(at(now, 'components', 'schemas', `${name}List`, 'required')).toEqual(['items'])
    expect(at(now, 'components', 'schemas', 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')).toBeDefined()
  })

  it('tell by which fields lists can be asked, and what objects within objects have', () => {
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind'] }
    const list = { type: 'array', items: embedded }
    const told = { ...resource, selectable: ['.spec.color'], schema: { type: 'object', properties: { list } } }
    const gv = { group: 'stable.example.com', version: 'v1' }
    const shown = openApiV3(customOpenApiPart(gv, [told], builtInTypeSchemas()))
    for (const one of [name, `${name}List`]) {
      const fields = at(shown, 'components', 'schemas', one, 'x-kubernetes-selectable-fields')
      expect(fields).toEqual([{ fieldPath: 'spec.color' }])
    }
    const inner = at(shown, 'components', 'schemas', name, 'properties', 'list', 'items')
    expect(at(inner, 'required')).toEqual(['kind', 'apiVersion'])
    expect(Object.keys(at(inner, 'properties') as ValueMap).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
  })

  it('lose in version 2 what it has no words for', () => {
    const shown = at(openApiV2([part]), 'definitions', name, 'properties', 'spec', 'properties')
    expect(shown).toEqual({
      port: { 'x-kubernetes-int-or-string': true },
      note: {},
      free: { 'x-kubernetes-preserve-unknown-fields': true },
      list: { type: 'array', items: { type: 'object' } },
    })
  })

  /** The schema of `spec.it`, as both versions show it. */
  function shownOf(it: ValueMap, more: ValueMap = {}): readonly [ValueMap, ValueMap] {
    const spec = { type: 'object', properties: { it }, ...more }
    const made = { ...resource, schema: { type: 'object', properties: { spec } } }
    const one = customOpenApiPart({ group: 'stable.example.com', version: 'v1' }, [made], builtInTypeSchemas())
    const path = [name, 'properties', 'spec'] as const
    return [
      at(openApiV3(one), 'components', 'schemas', ...path) as ValueMap,
      at(openApiV2([one]), 'definitions', ...path) as ValueMap,
    ]
  }

  const both = [{ type: 'integer' }, { type: 'string' }]

  it.each<[string, ValueMap, ValueMap, ValueMap]>([
    [
      'an integer or a text that does not say so otherwise',
      { 'x-kubernetes-int-or-string': true },
      { 'x-kubernetes-int-or-string': true, anyOf: both },
      { 'x-kubernetes-int-or-string': true },
    ],
    [
      'an integer or a text with alternatives of its own',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ pattern: 'a' }] },
      { 'x-kubernetes-int-or-string': true, anyOf: [{ pattern: 'a' }], allOf: [{ anyOf: both }] },
      { 'x-kubernetes-int-or-string': true },
    ],
    [
      'an integer or a text that says so within others',
      { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: both }, { pattern: 'x' }] },
      { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: both }, { pattern: 'x' }] },
      { 'x-kubernetes-int-or-string': true },
    ],
    [
      'a map that may be null',
      { type: 'object', nullable: true, required: ['q'], additionalProperties: { type: 'string' } },
      { type: 'object', nullable: true, required: ['q'], additionalProperties: { type: 'string' } },
      { required: ['q'], additionalProperties: { type: 'string' } },
    ],
    [
      'a list of anything',
      { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'object' } },
      { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'object' } },
      { 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'values that may be null',
      { type: 'object', required: ['z'], additionalProperties: { type: 'string', nullable: true } },
      { type: 'object', required: ['z'], additionalProperties: { type: 'string', nullable: true } },
      { type: 'object', additionalProperties: {} },
    ],
    [
      'that nothing unknown is kept',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      { type: 'object' },
      { type: 'object' },
    ],
  ])('say in both versions: %s', (_name, it, three, two) => {
    const shown = shownOf(it)
    expect([at(shown[0], 'properties', 'it'), at(shown[1], 'properties', 'it')]).toEqual([three, two])
  })

  it('need not have in version 2 what may be null', () => {
    const [, two] = shownOf({ type: 'string', nullable: true }, { required: ['it', 'other'] })
    expect(two['required']).toEqual(['other'])
  })

  it('tell of objects within them what every object has', () => {
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true }
    const closed = { type: 'array', items: { ...embedded, properties: { spec: { type: 'object' } } } }
    for (const shown of shownOf(closed)) {
      const items = at(shown, 'properties', 'it', 'items')
      expect(Object.keys(at(items, 'properties') as ValueMap).sort()).toEqual([
        'apiVersion',
        'kind',
        'metadata',
        'spec',
      ])
      expect(at(items, 'required')).toEqual(['kind', 'apiVersion'])
    }
    const [three, two] = shownOf({ ...embedded, 'x-kubernetes-preserve-unknown-fields': true })
    expect(at(three, 'properties', 'it', 'properties', 'metadata', 'description')).toMatch(
      /^Standard object's metadata\./,
    )
    expect(Object.keys(at(two, 'properties', 'it') as ValueMap)).not.toContain('properties')
  })

  it('say in version 2 nothing of their members where unknown ones are kept', () => {
    const made = { ...resource, schema: { ...schema, 'x-kubernetes-preserve-unknown-fields': true } }
    const one = customOpenApiPart({ group: 'stable.example.com', version: 'v1' }, [made], builtInTypeSchemas())
    expect(Object.keys(at(openApiV2([one]), 'definitions', name) as ValueMap)).toEqual([
      'type',
      'x-kubernetes-group-version-kind',
    ])
  })

  it('have their paths, without protobuf and strategic merge', () => {
    const item = '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}'
    expect(Object.keys(now['paths'] as ValueMap)).toEqual([
      '/apis/stable.example.com/v1/crontabs',
      '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs',
      item,
      `${item}/scale`,
      `${item}/status`,
    ])
    expect(Object.keys(at(now, 'paths', item, 'patch', 'requestBody', 'content') as ValueMap)).not.toContain(
      'application/strategic-merge-patch+json',
    )
    expect(Object.keys(at(now, 'paths', item, 'get', 'responses', '200', 'content') as ValueMap)).toEqual([
      'application/json',
      'application/yaml',
    ])
    expect(at(now, 'paths', item, 'get', 'operationId')).toBe('readStableExampleComV1NamespacedCronTab')
    expect(at(now, 'paths', `${item}/scale`, 'get', 'x-kubernetes-group-version-kind')).toMatchObject({
      kind: 'CronTab',
    })
  })

  it('begin what their operations are called by with a capital, whatever their kind begins with', () => {
    const made = { ...resource, kind: 'cronTab', namespaced: false }
    const one = customOpenApiPart({ group: 'stable.example.com', version: 'v1' }, [made], builtInTypeSchemas())
    expect(at(openApiV3(one), 'paths', '/apis/stable.example.com/v1/crontabs', 'post', 'operationId')).toBe(
      'createStableExampleComV1CronTab',
    )
  })

  it('may be without a schema, and any schema has a fingerprint', () => {
    const bare = { ...resource, schema: undefined }
    const gv = { group: 'stable.example.com', version: 'v1' }
    const open = customOpenApiPart(gv, [bare], builtInTypeSchemas())
    const kind = [{ group: 'stable.example.com', kind: 'CronTab', version: 'v1' }]
    const documents = [openApiV3(open)['components'] as ValueMap, openApiV2([open])]
    for (const [i, where] of ['schemas', 'definitions'].entries()) {
      expect(at(documents[i], where, name)).toEqual({ type: 'object', 'x-kubernetes-group-version-kind': kind })
    }
    const big = { ...resource, schema: { maximum: 2n ** 60n } }
    const prints = [open, part, customOpenApiPart(gv, [big], builtInTypeSchemas())].map((one) => one.fingerprint)
    expect(new Set(prints).size).toBe(3)
  })
})
