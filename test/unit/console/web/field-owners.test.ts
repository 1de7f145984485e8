import { describe, expect, it } from 'vitest'
import { type FieldSet, ownersByLine, writersSince } from '../../../../src/console/web/field-owners.ts'
import { withoutField } from '../../../../src/console/web/yaml-tree.ts'

const TEXT = `apiVersion: apps/v1
metadata:
  "name": web
  finalizers:
  - a.example/one
  - b.example/two
  managedFields:
  - manager: helm
    fieldsV1:
      f:spec: {}
  uid: u
spec:
  replicas: 2 # enough
  selector:
    matchLabels:
      app: web
  containers:
  - image: nginx
    name: c
    ports:
    - containerPort: 80
      protocol: TCP
  - image: log
    name: d
`

function linesOf(
  managers: Readonly<Record<string, FieldSet>>,
): Readonly<Record<string, readonly (string | undefined)[]>> {
  const managed = Object.entries(managers).map(([manager, fieldsV1]) => ({ manager, fieldsV1 }))
  const lines = TEXT.split('\n')
  const found = [...ownersByLine(TEXT, managed)].map(([line, owners]) => [
    lines[line - 1]!.trim(),
    owners.map(({ manager }) => manager),
  ])
  return Object.fromEntries(found) as Record<string, string[]>
}

describe('the owners of lines', () => {
  it('are the managers of the fields, several where they share one', () => {
    const owned = linesOf({ helm: { 'f:spec': { 'f:replicas': {} } }, autoscaler: { 'f:spec': { 'f:replicas': {} } } })
    expect(owned).toEqual({ 'replicas: 2 # enough': ['helm', 'autoscaler'] })
  })

  it('are found in lists by keys, by values and by index', () => {
    const owned = linesOf({
      helm: {
        'f:metadata': { 'f:finalizers': { 'v:"b.example/two"': {}, 'i:0': {} } },
        'f:spec': {
          'f:containers': {
            'k:{"name":"c"}': {
              '.': {},
              'f:image': {},
              'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { 'f:containerPort': {} } },
            },
          },
        },
      },
    })
    expect(owned).toEqual({
      '- a.example/one': ['helm'],
      '- b.example/two': ['helm'],
      '- image: nginx': ['helm'],
      '- containerPort: 80': ['helm'],
    })
  })

  it('own all that is below what they own as a whole', () => {
    const owned = linesOf({ helm: { 'f:spec': { 'f:selector': {} } } })
    expect(Object.keys(owned)).toEqual(['selector:', 'matchLabels:', 'app: web'])
  })

  it('are none for what nobody owns, and for what is no document', () => {
    expect(linesOf({ helm: { 'f:status': {} } })).toEqual({})
    expect(ownersByLine('- a\n: : :\n', [{ manager: 'helm', fieldsV1: { 'f:a': {} } }]).size).toBe(0)
  })
})

describe('a field that is taken out', () => {
  it('goes with all of its lines and nothing else', () => {
    const text = withoutField(TEXT, ['metadata', 'managedFields'])
    expect(text).toBe(TEXT.replace(/  managedFields:\n(    .*\n|  - .*\n)+?(?=  uid)/, ''))
    expect(text).not.toContain('helm')
    expect(text).toContain('  uid: u\nspec:')
  })

  it('need not be there', () => {
    expect(withoutField(TEXT, ['status', 'x'])).toBe(TEXT)
    expect(withoutField('', ['a'])).toBe('')
    expect(withoutField('a: 1\nb: 2', ['b'])).toBe('a: 1\n')
  })
})

describe('who has written since', () => {
  const entry = (manager: string, fields: readonly string[], time: string) => ({
    manager,
    operation: 'Update',
    time,
    fieldsV1: { 'f:data': Object.fromEntries(fields.map((name) => [`f:${name}`, {}])) },
  })

  it('is who is new, who has more than before, and who wrote the same fields again', () => {
    const before = [entry('a', ['x'], '1'), entry('b', ['y'], '1'), entry('c', ['z'], '1')]
    const after = [entry('a', ['x', 'y'], '2'), entry('b', ['y'], '2'), entry('c', ['z'], '1'), entry('d', ['w'], '2')]
    expect(writersSince(before, after)).toEqual(['a', 'b', 'd'])
  })

  it('is not who lost a field to another', () => {
    expect(writersSince([entry('a', ['x', 'y'], '1')], [entry('a', ['x'], '2'), entry('b', ['y'], '2')])).toEqual(['b'])
  })

  it('is who wrote the same fields again in the same second, if only one manager wrote in it', () => {
    const entries = [entry('a', ['x'], '1'), entry('b', ['y'], '2')]
    expect(writersSince(entries, entries)).toEqual(['b'])
    const both = [entry('a', ['x'], '2'), entry('b', ['y'], '2')]
    expect(writersSince(both, both)).toEqual([])
    expect(writersSince([], [])).toEqual([])
  })
})
