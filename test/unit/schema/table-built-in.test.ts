import { describe, expect, it } from 'vitest'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { Field, KindSchema, ObjectShape, Shape, WireField } from '../../../src/schema/table.ts'
import { processorMilliseconds } from '../../rigs/processor-time.ts'

const table = loadBuiltInSchema()

function kindOf(group: string, version: string, kind: string): KindSchema {
  const found = table.kind({ group, version, kind })
  if (found === undefined) throw new Error(`no ${kind}`)
  return found
}

function shapeOf(name: string): ObjectShape {
  const found = table.shape(name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}

function fieldOf(name: string, field: string): Field {
  const found = shapeOf(name).byName.get(field)
  if (found === undefined) throw new Error(`no ${name}.${field}`)
  return found
}

describe('kinds', () => {
  it('finds a kind, its list, and the options of every group-version', () => {
    expect(kindOf('', 'v1', 'Pod')).toMatchObject({ kind: 'Pod', isList: false, hasProtobuf: true })
    expect(kindOf('apps', 'v1', 'DeploymentList')).toMatchObject({ isList: true, hasProtobuf: true })
    expect(kindOf('apps', 'v1', 'DeleteOptions')).toMatchObject({ group: 'apps', version: 'v1' })
    expect(kindOf('stable.example.com', 'v1beta1', 'CreateOptions').shape.name).toBe('meta_v1.CreateOptions')
    expect(kindOf('meta.k8s.io', 'v1', 'Table')).toMatchObject({ hasProtobuf: false, isList: false })
    expect(kindOf('meta.k8s.io', 'v1', 'PartialObjectMetadataList').isList).toBe(true)
    expect(kindOf('', 'v1', 'List').shape.byName.get('items')?.shape).toMatchObject({ item: { kind: 'rawExtension' } })
  })

  it('understands Status in every group-version and says that it is of v1', () => {
    expect(kindOf('apps', 'v1', 'Status')).toMatchObject({ group: '', version: 'v1' })
    expect(kindOf('', 'v1', 'Status')).toBe(kindOf('batch', 'v1', 'Status'))
  })

  it.each([
    ['a kind of another group', { group: 'batch', version: 'v1', kind: 'Pod' }],
    ['a version that is not there', { group: 'apps', version: 'v1beta1', kind: 'Deployment' }],
    ['a type that cannot stand alone', { group: '', version: 'v1', kind: 'PodSpec' }],
    ['a member of Object', { group: '', version: 'v1', kind: 'constructor' }],
  ])('has no answer for %s', (_, gvk) => {
    expect(table.kind(gvk)).toBeUndefined()
  })

  it('makes a record once', () => {
    expect(kindOf('', 'v1', 'Pod')).toBe(kindOf('', 'v1', 'Pod'))
    expect(fieldOf('core_v1.PodTemplateSpec', 'spec').shape).toBe(shapeOf('core_v1.PodSpec'))
  })

  it('holds every kind there is', () => {
    const kinds = [...table.kinds()]
    expect(kinds.length).toBe(238)
    expect(new Set(kinds.map((k) => `${k.group}/${k.version}/${k.kind}`)).size).toBe(238)
    expect(kinds.filter((kind) => !kind.hasProtobuf).map((kind) => kind.kind)).toEqual(['Table'])
    expect(kinds.filter((kind) => !kind.shape.typeMeta).map((kind) => kind.kind)).toEqual(['WatchEvent'])
  })
})

describe('shapes', () => {
  it('says of a field what the API says', () => {
    expect(fieldOf('core_v1.Container', 'ports')).toMatchObject({
      shape: {
        kind: 'list',
        listType: 'map',
        keys: ['containerPort', 'protocol'],
        item: { name: 'core_v1.ContainerPort' },
      },
      patchStrategy: ['merge'],
      patchMergeKey: 'containerPort',
      omit: 'empty',
    })
    expect(fieldOf('core_v1.PodSpec', 'containers')).toMatchObject({ required: true, omit: 'never' })
    expect(fieldOf('core_v1.PodSpec', 'volumes').patchStrategy).toEqual(['merge', 'retainKeys'])
    expect(fieldOf('core_v1.PodSpec', 'nodeSelector').shape).toMatchObject({ kind: 'map', mapType: 'atomic' })
    expect(fieldOf('core_v1.ContainerPort', 'protocol')).toMatchObject({
      default: 'TCP',
      shape: { kind: 'string', enum: ['SCTP', 'TCP', 'UDP'] },
    })
    expect(fieldOf('meta_v1.ObjectMeta', 'creationTimestamp')).toMatchObject({ omit: 'zero', shape: { kind: 'time' } })
    expect(fieldOf('meta_v1.ObjectMeta', 'deletionTimestamp')).toMatchObject({ pointer: true, omit: 'empty' })
    expect(shapeOf('meta_v1.LabelSelector').mapType).toBe('atomic')
  })

  it.each([
    ['meta_v1.ManagedFieldsEntry', 'fieldsV1', { kind: 'fieldsV1' }],
    ['coordination.k8s.io_v1.LeaseSpec', 'renewTime', { kind: 'microTime' }],
    ['core_v1.ServicePort', 'targetPort', { kind: 'intOrString' }],
    ['core_v1.ResourceRequirements', 'limits', { kind: 'map', value: { kind: 'quantity' } }],
    ['core_v1.Secret', 'data', { kind: 'map', value: { kind: 'bytes' } }],
    ['apps_v1.ControllerRevision', 'data', { kind: 'rawExtension' }],
    ['apiextensions.k8s.io_v1.JSONSchemaProps', 'default', { kind: 'any' }],
    ['apiextensions.k8s.io_v1.JSONSchemaProps', 'maximum', { kind: 'number' }],
    ['authentication.k8s.io_v1.UserInfo', 'extra', { kind: 'map', value: { kind: 'list', item: { kind: 'string' } } }],
    ['meta_v1.TableRow', 'cells', { kind: 'list', item: { kind: 'any' } }],
    ['core_v1.PersistentVolumeClaimSpec', 'accessModes', { item: { enum: expect.arrayContaining(['ReadWriteOnce']) } }],
  ])('gives %s.%s its form', (name, field, shape) => {
    expect(fieldOf(name, field).shape).toMatchObject(shape)
  })

  it('lets a field override whether its object is owned as a whole', () => {
    expect(fieldOf('core_v1.PersistentVolumeSpec', 'claimRef').shape).toMatchObject({ mapType: 'granular' })
    expect(shapeOf('core_v1.ObjectReference').mapType).toBe('atomic')
  })

  it('lets a schema hold schemas', () => {
    const props = shapeOf('apiextensions.k8s.io_v1.JSONSchemaProps')
    expect(props.byName.get('items')?.shape).toMatchObject({ kind: 'schemaOrArray' })
    expect(props.byName.get('items')?.shape).toHaveProperty('schema', props)
    expect(table.shape('apiextensions.k8s.io_v1.JSONSchemaPropsOrBool')).toBeUndefined()
  })

  it('flattens an inlined struct in JSON, in its place, and keeps it a message on the wire', () => {
    const probe = shapeOf('core_v1.Probe')
    expect(probe.fields.slice(0, 5).map((field) => field.name)).toEqual([
      'exec',
      'httpGet',
      'tcpSocket',
      'grpc',
      'initialDelaySeconds',
    ])
    expect(probe.wire?.[0]).toMatchObject({ number: 1, type: 'inline' })
  })

  it('has every field on the wire exactly once, in ascending number', () => {
    const seen = new Set<ObjectShape>()
    const visit = (shape: Shape): void => {
      if (shape.kind === 'list') visit(shape.item)
      if (shape.kind === 'map') visit(shape.value)
      if (shape.kind !== 'object' || seen.has(shape)) return
      seen.add(shape)
      for (const field of shape.fields) visit(field.shape)
      if (shape.wire === undefined) return
      expect(shape.wire.map((w) => w.number)).toEqual(shape.wire.map((w) => w.number).sort((a, b) => a - b))
      expect(namesOn(shape.wire).sort()).toEqual(shape.fields.map((field) => field.name).sort())
    }
    for (const kind of table.kinds()) visit(kind.shape)
    expect(seen.size).toBeGreaterThan(600)
  })
})

function namesOn(wire: readonly WireField[]): string[] {
  return wire.flatMap((field) => (field.type === 'inline' ? namesOn(field.fields) : [field.field.name]))
}

describe('cost', () => {
  it('loads all kinds in a moment of processor time', () => {
    const load = (): void => {
      for (const kind of loadBuiltInSchema().kinds()) expect(kind.shape.kind).toBe('object')
    }
    // A dozen milliseconds where this was written; the rest is for slower machines.
    expect(Math.min(...Array.from({ length: 5 }, () => processorMilliseconds(load)))).toBeLessThan(150)
  })
})
