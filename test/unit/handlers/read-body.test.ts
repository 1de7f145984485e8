import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../src/codec/json-encode.ts'
import { decodeBody } from '../../../src/handlers/read-body.ts'
import { builtInResources, DefinitionTable, RENAME_VERSION } from '../../../src/kinds/kinds.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { ServedObject } from '../../../src/registry/served-store.ts'
import { BytesObject } from '../../../src/store/stored-object.ts'

const schema = loadBuiltInSchema()
const table = new DefinitionTable({
  schema,
  builtIn: builtInResources(schema, canonicalJson),
  encode: canonicalJson,
  serve: (stored, object, type) => new ServedObject(stored, object, type),
  converter: () => RENAME_VERSION,
  onRetired: () => {},
})
const names = { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' }
const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'foos.example.com', uid: 'u', generation: 1 },
  spec: {
    group: 'example.com',
    names,
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
  status: { conditions: [{ type: 'NamesAccepted', status: 'True' }], acceptedNames: names, storedVersions: ['v1'] },
}
table.put(new BytesObject({ namespace: '', name: 'foos.example.com' }, 1, Buffer.from(JSON.stringify(definition))))

function decode(place: { readonly group: string; readonly resource: string }, body: string): unknown {
  const resource = table.find({ ...place, version: 'v1' })!
  const encoding = body.startsWith('{') ? 'json' : 'yaml'
  const bytes = Buffer.from(body)
  const request = { bytes, encoding, resource, resources: table, options: { fieldValidation: 'Warn' } } as const
  return decodeBody(request, () => {})
}

describe('a body that does not say what it is', () => {
  it('is taken for what the path says, of built-in kinds', () => {
    expect(decode({ group: '', resource: 'configmaps' }, '{"metadata":{"name":"a"}}')).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
    })
  })

  it.each([
    [
      'kind',
      '{"metadata":{"name":"a-long-name"}}',
      `the object provided is unrecognized (must be of type Foo): Object 'Kind' is missing in '{"metadata":{"name":"a-long-name"}}' ({"metadata":{"name":"a-long-na ...)`,
    ],
    [
      'kind, in YAML',
      'metadata: {name: a}',
      `the object provided is unrecognized (must be of type Foo): Object 'Kind' is missing in '{"metadata":{"name":"a"}}' (6d657461646174613a207b6e616d653a20617d)`,
    ],
    [
      'version',
      '{"kind":"Foo","metadata":{"name":"a"}}',
      'the API version in the data () does not match the expected API version (example.com/v1)',
    ],
  ])('is refused, of custom kinds: no %s (W-035)', (_name, body, message) => {
    expect(() => decode({ group: 'example.com', resource: 'foos' }, body)).toThrow(message)
  })
})

describe('a body of another version', () => {
  it.each([
    ['apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition', 'v1beta1'],
    ['apps', 'deployments', 'Deployment', 'v1beta2'],
  ])('that once was served is told the right one: %s %s', (group, resource, kind, version) => {
    const body = JSON.stringify({ kind, apiVersion: `${group}/${version}`, metadata: { name: 'a' } })
    expect(() => decode({ group, resource }, body)).toThrow(
      `the API version in the data (${group}/${version}) does not match the expected API version (${group}/v1)`,
    )
  })

  it('that never was is of no kind', () => {
    const body = '{"kind":"Deployment","apiVersion":"apps/v7","metadata":{"name":"a"}}'
    expect(() => decode({ group: 'apps', resource: 'deployments' }, body)).toThrow(
      'no kind "Deployment" is registered for version "apps/v7"',
    )
  })
})
