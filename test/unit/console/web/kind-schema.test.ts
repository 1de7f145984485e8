import { describe, expect, it } from 'vitest'
import { KindSchema } from '../../../../src/console/web/kind-schema.ts'
import { positionAt } from '../../../../src/console/web/yaml-position.ts'

const TEXT = `apiVersion: apps/v1
metadata:
  labels:
    app: web
spec:
  replicas: 1
  containers:
  - image: nginx
    ports:
    - containerPort: 80
      protocol: TCP
  - name: other
    image: x
status: {}
`

/** The place behind the text. */
function at(text: string, added = '') {
  return positionAt(TEXT.slice(0, TEXT.indexOf(text) + text.length) + added)
}

describe('the place in a document', () => {
  it.each([
    ['the top', 'apiVersion: apps/v1\n', 'ki', [], undefined],
    ['a map', 'metadata:\n', '  la', ['metadata'], undefined],
    ['a map in a map', '  labels:\n', '    x', ['metadata', 'labels'], undefined],
    ['behind a map', 'app: web\n', '  ann', ['metadata'], undefined],
    ['a value', '  replicas:', ' ', ['spec'], 'replicas'],
    ['an item', 'containers:\n', '  - na', ['spec', 'containers'], undefined],
    ['a further field of an item', '- image: nginx\n', '    na', ['spec', 'containers'], undefined],
    ['an item of an item', 'containerPort: 80\n', '      na', ['spec', 'containers', 'ports'], undefined],
    ['a value in an item of an item', '      protocol:', ' T', ['spec', 'containers', 'ports'], 'protocol'],
    ['behind a list', '    image: x\n', '  pa', ['spec'], undefined],
    ['behind all of it', '    image: x\n', 'da', [], undefined],
  ])('%s', (_title, text, added, path, key) => expect(at(text, added)).toEqual({ path, key }))
})

describe('the schema of a kind', () => {
  const schema = new KindSchema(
    {
      components: {
        schemas: {
          Other: { 'x-kubernetes-group-version-kind': [{ group: 'apps', version: 'v2', kind: 'Set' }] },
          Set: {
            'x-kubernetes-group-version-kind': [{ group: 'apps', version: 'v1', kind: 'Set' }],
            required: ['spec'],
            properties: {
              spec: { description: 'What is wanted.', allOf: [{ $ref: '#/components/schemas/Spec' }] },
              loop: { $ref: '#/components/schemas/Loop' },
            },
          },
          Loop: { $ref: '#/components/schemas/Loop' },
          Spec: {
            description: 'A spec.',
            properties: {
              list: { type: 'array', items: { allOf: [{ $ref: '#/components/schemas/Item' }] } },
              map: { additionalProperties: { properties: { deep: { type: 'boolean' } } } },
            },
          },
          Item: { properties: { mode: { type: 'string', enum: ['On', 'Off', ''] } } },
        },
      },
    },
    { group: 'apps', version: 'v1', kind: 'Set' },
  )

  it('tells the fields at a place, through references, lists and maps', () => {
    expect(schema.fieldsAt([])).toEqual([
      { name: 'spec', type: 'object', description: 'What is wanted.', isRequired: true, sample: '{}' },
      { name: 'loop', type: 'object', description: '', isRequired: false, sample: '{}' },
    ])
    expect(schema.fieldsAt(['spec', 'list']).map(({ name }) => name)).toEqual(['mode'])
    expect(schema.fieldsAt(['spec', 'map', 'any']).map(({ name }) => name)).toEqual(['deep'])
    expect(schema.fieldsAt(['loop'])).toEqual([])
    expect(schema.fieldsAt(['nowhere', 'at', 'all'])).toEqual([])
  })

  it('tells values where they are few', () => {
    expect(schema.valuesAt(['spec', 'list', 'mode'])).toEqual(['On', 'Off'])
    expect(schema.valuesAt(['spec', 'map', 'any', 'deep'])).toEqual(['true', 'false'])
    expect(schema.valuesAt(['spec'])).toEqual([])
  })

  it('has nothing to tell where the kind is not in the document', () => {
    expect(new KindSchema({}, { group: '', version: 'v1', kind: 'Set' }).fieldsAt([])).toEqual([])
  })
})
