import { describe, expect, it } from 'vitest'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { parseJsonDocument } from '../../../src/codec/json-parse.ts'
import { DecodeError, decodeObject } from '../../../src/schema/decode.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { ObjectShape } from '../../../src/schema/table.ts'

const table = loadBuiltInSchema()

function shapeOf(name: string): ObjectShape {
  const shape = table.shape(name)
  if (shape === undefined) throw new Error(`no shape ${name}`)
  return shape
}

function decode(name: string, text: string): { value: ValueMap; problems: readonly string[] } {
  return decodeObject(parseJsonDocument(Buffer.from(text)).source, shapeOf(name))
}

function messageOf(name: string, text: string): string {
  try {
    decode(name, text)
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
  return ''
}

const container = (members: string): string => `{"spec":{"containers":[${members}]}}`
const QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

describe('a value of the wrong type', () => {
  it.each([
    [
      'a name',
      'core_v1.Pod',
      '{"metadata":{"name":5}}',
      'number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      'a uid',
      'core_v1.Pod',
      '{"metadata":{"uid":5}}',
      'number into Go struct field ObjectMeta.metadata.uid of type types.UID',
    ],
    [
      'a value of a map',
      'core_v1.Pod',
      '{"metadata":{"labels":{"a":5}}}',
      'number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'a map',
      'core_v1.Pod',
      '{"metadata":{"labels":[]}}',
      'array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    ['an object', 'core_v1.Pod', '{"spec":5}', 'number into Go struct field Pod.spec of type v1.PodSpec'],
    [
      'a list',
      'core_v1.Pod',
      '{"spec":{"containers":{}}}',
      'object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      'an item',
      'core_v1.Pod',
      container('5'),
      'number into Go struct field PodSpec.spec.containers of type v1.Container',
    ],
    [
      'a second item',
      'core_v1.Pod',
      container('{"name":"a"},true'),
      'bool into Go struct field PodSpec.spec.containers of type v1.Container',
    ],
    [
      'deep inside',
      'core_v1.Pod',
      container('{"ports":[{"containerPort":"80"}]}'),
      'string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      'a fraction',
      'core_v1.Pod',
      container('{"ports":[{"containerPort":1.5}]}'),
      'number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      'an integer spelled as a fraction',
      'core_v1.Pod',
      '{"metadata":{"generation":5.0}}',
      'number 5.0 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      'beyond 32 bits',
      'core_v1.Pod',
      container('{"ports":[{"containerPort":3000000000}]}'),
      'number 3000000000 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      'beyond 64 bits',
      'core_v1.Pod',
      '{"metadata":{"generation":9223372036854775808}}',
      'number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      'a flag',
      'core_v1.Pod',
      '{"spec":{"hostNetwork":"yes"}}',
      'string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
    [
      'a time',
      'core_v1.Pod',
      '{"metadata":{"creationTimestamp":5}}',
      'number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      'a list of resources',
      'core_v1.Pod',
      '{"spec":{"overhead":[]}}',
      'array into Go struct field PodSpec.spec.overhead of type v1.ResourceList',
    ],
    [
      'a word of a type of its own',
      'core_v1.Secret',
      '{"type":5}',
      'number into Go struct field Secret.type of type v1.SecretType',
    ],
    [
      'one of a list of words',
      'core_v1.PersistentVolumeClaim',
      '{"spec":{"accessModes":[5]}}',
      'number into Go struct field PersistentVolumeClaimSpec.spec.accessModes of type v1.PersistentVolumeAccessMode',
    ],
    [
      'a list of words',
      'core_v1.PersistentVolumeClaim',
      '{"spec":{"accessModes":"x"}}',
      'string into Go struct field PersistentVolumeClaimSpec.spec.accessModes of type []v1.PersistentVolumeAccessMode',
    ],
    [
      'a field of a flattened struct',
      'core_v1.Pod',
      '{"spec":{"volumes":[{"emptyDir":"x"}]}}',
      'string into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource',
    ],
    [
      'the kind of an object within another',
      'apps_v1.StatefulSet',
      '{"spec":{"volumeClaimTemplates":[{"kind":7}]}}',
      'number into Go struct field PersistentVolumeClaim.spec.volumeClaimTemplates.TypeMeta.kind of type string',
    ],
    [
      'a word in two flattened structs',
      'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicy',
      '{"spec":{"matchConstraints":{"resourceRules":[{"scope":5}]}}}',
      'number into Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.Rule.scope of type v1.ScopeType',
    ],
    ['bytes', 'core_v1.Secret', '{"data":{"a":5}}', 'number into Go struct field Secret.data of type []uint8'],
    [
      'the first one counts',
      'core_v1.Pod',
      '{"metadata":{"name":1},"spec":2}',
      'number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      'the first that reads itself counts more',
      'core_v1.Pod',
      '{"metadata":{"name":1,"creationTimestamp":5},"spec":{"overhead":{"cpu":"x"}}}',
      'number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      'one within what has a wrong type itself does not count',
      'core_v1.Pod',
      '{"metadata":{"name":1},"spec":{"overhead":["x"]}}',
      'number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      'a word of another group',
      'scheduling.k8s.io_v1.PriorityClass',
      '{"preemptionPolicy":[]}',
      'array into Go struct field PriorityClass.preemptionPolicy of type v1.PreemptionPolicy',
    ],
  ])('%s', (_name, shape, text, message) => {
    expect(messageOf(shape, text)).toBe(`json: cannot unmarshal ${message}`)
  })

  it.each([
    ['a quantity', 'core_v1.Pod', '{"spec":{"overhead":{"cpu":"x"}}}', QUANTITY],
    [
      'a quantity behind wrong types',
      'core_v1.Pod',
      '{"kind":1,"spec":{"overhead":{"cpu":"x"},"nodeName":5}}',
      QUANTITY,
    ],
    [
      'a quantity in lists, and a number twice',
      'core_v1.Pod',
      '{"spec":{"priority":12345678901234567890,"priority":{},"containers":[{"resources":{"limits":{"cpu":"1","memory":""}}}]}}',
      QUANTITY,
    ],
    ['a quantity that is a flag', 'core_v1.Pod', '{"spec":{"overhead":{"cpu":true}}}', QUANTITY],
    [
      'a time',
      'core_v1.Pod',
      '{"metadata":{"creationTimestamp":"abc"}}',
      'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"',
    ],
    ['base64', 'core_v1.Secret', '{"data":{"a":"!!"}}', 'illegal base64 data at input byte 0'],
    ['cut base64', 'core_v1.Secret', '{"data":{"a":"YWJjYQ"}}', 'illegal base64 data at input byte 4'],
    [
      'a schema',
      'apiextensions.k8s.io_v1.JSONSchemaProps',
      '{"additionalProperties":5}',
      'boolean or JSON schema expected',
    ],
  ])('a text that is not what the field holds: %s', (_name, shape, text, message) => {
    expect(messageOf(shape, text)).toBe(message)
  })
})

describe('unknown and repeated members', () => {
  it.each<[string, string, readonly string[]]>([
    ['unknown at the top', '{"foo":1}', ['unknown field "foo"']],
    [
      'names are compared with their case',
      '{"Spec":{},"spec":{"Containers":[]}}',
      ['unknown field "Spec"', 'unknown field "spec.Containers"'],
    ],
    ['with indices', container('{"name":"a"},{"bar":1}'), ['unknown field "spec.containers[1].bar"']],
    ['quotes in names', '{"a\\"b":1}', ['unknown field "a\\"b"']],
    ['repeated', '{"spec":{"hostNetwork":true,"hostNetwork":false}}', ['duplicate field "spec.hostNetwork"']],
    ['repeated in a map', '{"metadata":{"labels":{"x":"1","x":"2"}}}', ['duplicate field "metadata.labels.x"']],
    ['repeated and unknown is unknown', '{"foo":1,"foo":2}', ['unknown field "foo"']],
    ['nothing is said of what is inside of the unknown', '{"foo":{"a":1,"a":2}}', ['unknown field "foo"']],
    [
      'in document order',
      '{"foo":1,"spec":{"x":1,"hostNetwork":true,"hostNetwork":false},"metadata":{"y":1}}',
      [
        'unknown field "foo"',
        'unknown field "spec.x"',
        'duplicate field "spec.hostNetwork"',
        'unknown field "metadata.y"',
      ],
    ],
  ])('%s', (_name, text, problems) => {
    expect(decode('core_v1.Pod', text).problems).toEqual(problems)
  })

  it('unknown members are dropped, of repeated scalars the last counts, repeated maps add up', () => {
    const { value } = decode('core_v1.ConfigMap', '{"foo":1,"data":{"a":"1"},"data":{"a":"2"},"data":{"c":"3"}}')
    expect(value).toEqual({ metadata: {}, data: { a: '2', c: '3' } })
  })

  it('at most a hundred are told (W-412)', () => {
    const text = `{${Array.from({ length: 200 }, (_, i) => `"f${i}":1`).join(',')}}`
    expect(decode('core_v1.Pod', text).problems).toHaveLength(100)
  })

  it('nothing is told inside of schemas that may also be something else', () => {
    expect(decode('apiextensions.k8s.io_v1.JSONSchemaProps', '{"items":{"foo":1,"type":"string"}}')).toEqual({
      value: { items: { type: 'string' } },
      problems: [],
    })
  })
})

describe('the canonical form', () => {
  const decoded = (shape: string, text: string): Value => decode(shape, text).value

  it('has what JSON always shows', () => {
    expect(decoded('core_v1.Pod', 'null')).toEqual({ metadata: {}, spec: { containers: null }, status: {} })
    expect(decoded('apps_v1.Deployment', '{}')).toEqual({
      metadata: {},
      spec: { selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
      status: {},
    })
  })

  it('does not have what JSON leaves out', () => {
    const text =
      '{"metadata":{"name":"","labels":{},"finalizers":[],"creationTimestamp":null},"spec":{"hostNetwork":false,"replicas":0}}'
    expect(decoded('core_v1.Pod', text)).toEqual({ metadata: {}, spec: { containers: null }, status: {} })
  })

  it('keeps the zero values of what can be absent', () => {
    const text = '{"spec":{"replicas":0,"paused":false},"metadata":{"deletionGracePeriodSeconds":0}}'
    expect(decoded('apps_v1.Deployment', text)).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 0 },
      spec: { replicas: 0 },
    })
  })

  it('has canonical scalars', () => {
    const text = container(
      '{"name":"a","resources":{"limits":{"cpu":0.5,"memory":"1024Ki","x":null}},"livenessProbe":{"httpGet":{"port":80}}}',
    )
    expect(decoded('core_v1.Pod', text)).toMatchObject({
      spec: {
        containers: [
          { resources: { limits: { cpu: '500m', memory: '1Mi', x: '0' } }, livenessProbe: { httpGet: { port: 80 } } },
        ],
      },
    })
    expect(decoded('core_v1.Secret', '{"data":{"a":"YWJj\\nYR==","b":null}}')).toMatchObject({
      data: { a: 'YWJjYQ==', b: '' },
    })
    expect(decoded('core_v1.Pod', '{"metadata":{"deletionTimestamp":"2024-01-01T00:00:00.5+01:00"}}')).toMatchObject({
      metadata: { deletionTimestamp: '2023-12-31T23:00:00Z' },
    })
  })

  it('takes null in lists and maps for the zero value', () => {
    expect(
      decoded(
        'core_v1.Pod',
        '{"metadata":{"finalizers":[null]},"spec":{"nodeSelector":{"a":null},"containers":[null]}}',
      ),
    ).toEqual({
      metadata: { finalizers: [''] },
      spec: { nodeSelector: { a: '' }, containers: [{ name: '', resources: {} }] },
      status: {},
    })
  })

  it('keeps integers of 64 bits', () => {
    expect(decoded('meta_v1.ObjectMeta', '{"generation":9223372036854775807}')).toEqual({
      generation: 9223372036854775807n,
    })
  })

  it('keeps embedded objects as they came', () => {
    const text = '{"data":{"kind":"X","x":[1,null,{"y":{}}],"z":9007199254740993},"revision":1}'
    expect(decoded('apps_v1.ControllerRevision', text)).toEqual({
      metadata: {},
      data: { kind: 'X', x: [1, null, { y: {} }], z: 9007199254740993n },
      revision: 1,
    })
  })

  it('__proto__ is an unknown member, and a key of a map like any other', () => {
    expect(decode('core_v1.Pod', '{"__proto__":{"polluted":true}}').problems).toEqual(['unknown field "__proto__"'])
    const value = decoded('core_v1.ConfigMap', '{"data":{"__proto__":"x","a":"b"}}') as { data: Record<string, string> }
    expect(Object.entries(value.data)).toEqual([
      ['__proto__', 'x'],
      ['a', 'b'],
    ])
  })

  it('is its own canonical form, and is then not copied', () => {
    const once = decode('core_v1.Pod', container('{"name":"a","resources":{}}')).value
    expect(decodeObject(once, shapeOf('core_v1.Pod')).value).toBe(once)
  })
})

it('leaves out an empty list, but for one that has defaults where it is absent', () => {
  const rules = '{"policies":[]}'
  expect(decode('autoscaling_v2.HPAScalingRules', rules).value).toEqual({ policies: [] })
  expect(decode('autoscaling_v2.HPAScalingRules', '{"policies":null}').value).toEqual({})
  expect(decode('autoscaling_v2.HorizontalPodAutoscalerSpec', '{"metrics":[]}').value).not.toHaveProperty('metrics')
})
