import { beforeEach, describe, expect, it } from 'vitest'
import { configMap, PolicyWorld } from './policy-world.ts'

let world: PolicyWorld
beforeEach(() => {
  world = new PolicyWorld()
})

const patch = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } })
const apply = (expression: string): object => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })
const label = (key: string, value: string): object =>
  apply(`Object{metadata: Object.metadata{labels: {"${key}": ${value}}}}`)

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a mutating policy', () => {
  it('changes the object by applying and by patches, one after the other (W-509, W-511)', async () => {
    world.mutating('p', {
      variables: [{ name: 'who', expression: "request.operation + ' ' + object.metadata.name" }],
      mutations: [
        label('who', 'variables.who'),
        patch(
          '[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: object.metadata.labels.who}]',
        ),
        patch('[JSONPatch{op: "add", path: "/data", value: {"k": "v"}}]'),
      ],
    })
    expect(await world.mutate(configMap('m'))).toMatchObject({
      metadata: { name: 'm', labels: { who: 'CREATE m', 'a/b': 'CREATE m' } },
      data: { k: 'v' },
    })
  })

  it('leaves the very object where nothing changes, and where there is none', async () => {
    world.mutating('p', {
      mutations: [apply('Object{}'), patch('[JSONPatch{op: "test", path: "/kind", value: "ConfigMap"}]')],
    })
    const object = configMap('m')
    expect(await world.mutate(object)).toBe(object)
    expect(await world.mutate(undefined, { operation: 'DELETE', name: 'm' })).toBeUndefined()
  })

  it('leaves the object alone where a test in its patch fails (W-510)', async () => {
    world.mutating('p', {
      mutations: [
        patch('[JSONPatch{op: "test", path: "/data/k", value: "v"}, JSONPatch{op: "remove", path: "/data/k"}]'),
      ],
    })
    expect(await world.mutate(configMap('m', { data: { k: 'other' } }))).toMatchObject({ data: { k: 'other' } })
    expect(await world.mutate(configMap('m', { data: { k: 'v' } }))).not.toHaveProperty('data.k')
  })

  it('keeps from what its conditions exclude', async () => {
    world.mutating('p', {
      matchConditions: [{ name: 'c', expression: "object.metadata.name != 'm'" }],
      mutations: [label('a', '"b"')],
    })
    expect(await world.mutate(configMap('m'))).not.toHaveProperty('metadata.labels')
    expect(await world.mutate(configMap('n'))).toMatchObject({ metadata: { labels: { a: 'b' } } })
  })

  it('merges lists by their keys', async () => {
    const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }]
    world.mutating('p', {
      matchConstraints: { resourceRules: rules },
      mutations: [
        apply(
          'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "i", image: "x"}], containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: "Always"})}}',
        ),
      ],
    })
    const kind = { group: '', version: 'v1', kind: 'Pod' }
    const resource = { group: '', version: 'v1', resource: 'pods' }
    const pod = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'm' },
      spec: {
        containers: [
          { name: 'a', image: 'a' },
          { name: 'b', image: 'b' },
        ],
      },
    }
    expect(await world.mutate(pod, { kind, requestKind: kind, resource, requestResource: resource })).toMatchObject({
      spec: {
        initContainers: [{ name: 'i', image: 'x' }],
        containers: [
          { name: 'a', image: 'a', imagePullPolicy: 'Always' },
          { name: 'b', image: 'b', imagePullPolicy: 'Always' },
        ],
      },
    })
  })

  it('is asked again after others changed the object, where it wants to be (W-447)', async () => {
    const count = (key: string): object =>
      label(key, `string(int(object.metadata.?labels[?"${key}"].orValue("0")) + 1)`)
    world.mutating('a', { reinvocationPolicy: 'IfNeeded', mutations: [count('a')] })
    world.mutating('b', { reinvocationPolicy: 'Never', mutations: [count('b')] })
    expect(await world.mutate(configMap('m'))).toMatchObject({ metadata: { labels: { a: '2', b: '1' } } })
  })

  it('is asked again also after its own change, where it wants to be', async () => {
    const count = label('n', 'string(int(object.metadata.?labels[?"n"].orValue("0")) + 1)')
    world.mutating('a', { reinvocationPolicy: 'IfNeeded', mutations: [count] })
    expect(await world.mutate(configMap('m'))).toMatchObject({ metadata: { labels: { n: '2' } } })
  })
})

describe('a mutation that fails', () => {
  const message = (why: string): string => `policy 'p' with binding 'p' denied request: ${why}`
  const failing = [
    [
      'a patch of nothing',
      patch('[JSONPatch{op: "remove", path: "/data/nope"}]'),
      "JSON Patch: error in remove for path: '/data/nope': Unable to remove nonexistent key: nope: missing value",
    ],
    [
      'an object that is none of its kind',
      patch('[JSONPatch{op: "add", path: "/data", value: 5}]'),
      'Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      'a field that its kind does not have',
      patch('[JSONPatch{op: "add", path: "/nope", value: 5}]'),
      'Internal error occurred: strict decoding error: unknown field "nope"',
    ],
    [
      'an error',
      patch('[JSONPatch{op: "add", path: object.data.none, value: 1}]'),
      'expression \'[JSONPatch{op: "add", path: object.data.none, value: 1}]\' resulted in error: no such key: none',
    ],
    [
      'an unknown field',
      apply('Object{specs: Object.specs{a: 1}}'),
      'error applying patch: failed to convert patch object to typed object: .specs: field not declared in schema',
    ],
    [
      'a wrong name',
      apply('Object{metadata: Object.spec{name: "x"}}'),
      'type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
    ],
  ] as const

  it.each(failing)('%s refuses the request (W-509)', async (_what, mutation, why) => {
    world.mutating('p', { mutations: [mutation] })
    expect(await refusal(world.mutate(configMap('m', { data: {} })))).toMatchObject({
      message: message(why),
      reason: 'Invalid',
      code: 403,
      details: { name: 'm', kind: 'configmaps', causes: [{ message: message(why) }] },
    })
  })

  it.each(failing)('%s does not matter where the policy fails open', async (_what, mutation) => {
    world.mutating('p', { failurePolicy: 'Ignore', mutations: [mutation, label('a', '"b"')] })
    expect(await world.mutate(configMap('m', { data: {} }))).toMatchObject({ metadata: { labels: { a: 'b' } } })
  })

  it('may not replace what is atomic', async () => {
    const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }]
    world.mutating('p', {
      matchConstraints: { resourceRules: rules },
      mutations: [apply('Object{spec: Object.spec{nodeSelector: {"a": "b"}}}')],
    })
    const kind = { group: '', version: 'v1', kind: 'Pod' }
    const resource = { group: '', version: 'v1', resource: 'pods' }
    const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'm' }, spec: { containers: [] } }
    const why =
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.nodeSelector'
    expect(
      await refusal(world.mutate(pod, { kind, requestKind: kind, resource, requestResource: resource })),
    ).toMatchObject({ message: message(why) })
  })

  it('says that parameters are missing as a refusal', async () => {
    world.mutating(
      'p',
      { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, mutations: [label('a', 'params.data.a')] },
      { paramRef: { name: 'l', parameterNotFoundAction: 'Deny' } },
    )
    const why = 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'
    expect(await refusal(world.mutate(configMap('m')))).toMatchObject({
      message: message(why),
      reason: 'Forbidden',
      code: 403,
    })
  })
})
