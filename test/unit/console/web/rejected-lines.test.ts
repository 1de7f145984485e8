import { describe, expect, it } from 'vitest'
import { manifestsIn } from '../../../../src/console/web/manifests.ts'
import { marksOf } from '../../../../src/console/web/rejected-lines.ts'
import { openWorld, type SentRequest } from '../../../rigs/api-world.ts'

const POD = `metadata:
  name: a
  labels: {"a b": c}
  annotations:
    "a b/c.d": e
spec:
  foo: 1
  containers:
  - name: first
    image: b
    ports:
    - containerPort: 80
    - containerPort: many
  - name: Second_
    ports:
    - containerPort: 77777777
      bar: 2
`

/** The marked lines, as the server answers a strict create of the text. */
async function marksFor(text: string, resource = 'pods'): Promise<readonly (readonly [string, string])[]> {
  return marksAfter(text, {
    method: 'POST',
    path: `/api/v1/namespaces/ns/${resource}?fieldValidation=Strict`,
    contentType: 'application/yaml',
  })
}

async function marksAfter(
  text: string,
  request: Pick<SentRequest, 'method' | 'path' | 'contentType'>,
): Promise<readonly (readonly [string, string])[]> {
  const world = await openWorld()
  const answer = await world.send({ ...request, body: text })
  const lines = text.split('\n')
  const marks = marksOf(answer.body, text)
  return marks.map(({ line, message }) => [lines[line - 1]!.trim(), message])
}

describe('the rejected lines', () => {
  it('are those of the causes of an invalid object', async () => {
    const marks = await marksFor(POD.replace('many', '81').replace('  foo: 1\n', '').replace('      bar: 2\n', ''))
    expect(marks.map(([line, message]) => [line, message.slice(0, 50)])).toEqual([
      ['labels: {"a b": c}', expect.stringContaining('metadata.labels: Invalid value: "a b"')],
      ['"a b/c.d": e', expect.stringContaining('metadata.annotations: Invalid value: "a b/c.d"')],
      ['- name: Second_', expect.stringContaining('spec.containers[1].name: Invalid value')],
      ['- name: Second_', 'spec.containers[1].image: Required value'],
      ['- containerPort: 77777777', expect.stringContaining('spec.containers[1].ports[0].containerPort: Invalid')],
    ])
  })

  it('are those of unknown and repeated fields', async () => {
    const text = POD.replace('many', '81').replace('    image: b\n', '    image: b\n    image: c\n')
    expect(await marksFor(text)).toEqual([
      ['foo: 1', 'unknown field "spec.foo"'],
      ['image: c', 'key "image" already set in map'],
      ['bar: 2', 'unknown field "spec.containers[1].ports[0].bar"'],
    ])
  })

  it('are those of values of a wrong type, in lists and maps too', async () => {
    expect(await marksFor(POD)).toEqual([
      ['- containerPort: many', expect.stringContaining('cannot unmarshal string into Go struct field')],
    ])
    const [node] = await marksFor(POD.replace('many', '81').replace('foo: 1', 'nodeName: {a: b}'))
    expect(node?.[0]).toBe('nodeName: {a: b}')
    const map = (value: string): string => `metadata:\n  name: a\ndata:\n  a.b: c\n  d: "1"\n  e: ${value}\n`
    for (const value of ['{}', '[]', '1', 'true']) {
      expect(await marksFor(map(value), 'configmaps')).toEqual([
        [`e: ${value}`, expect.stringContaining('cannot unmarshal')],
      ])
    }
  })

  it('are those of keys with dots, and of syntax errors', async () => {
    const keys = 'metadata:\n  name: a\ndata:\n  a.b: c\n  "x y.z": d\n'
    expect((await marksFor(keys, 'configmaps')).map(([line]) => line)).toEqual(['"x y.z": d'])
    const broken = 'metadata:\n  name: a\nspec:\n  containers:\n - name: b\n'
    expect((await marksFor(broken)).map(([, message]) => message)).toEqual(['did not find expected key'])
  })

  it('are those that an apply names by the keys of lists', async () => {
    const head = 'apiVersion: v1\nkind: Pod\n'
    const request = {
      method: 'PATCH',
      path: '/api/v1/namespaces/ns/pods/a?fieldManager=test&fieldValidation=Strict',
      contentType: 'application/apply-patch+yaml',
    }
    expect(await marksAfter(head + POD, request)).toEqual([
      ['foo: 1', '.spec.foo: field not declared in schema'],
      ['- containerPort: many', expect.stringContaining('expected numeric (int or float), got string')],
      ['bar: 2', expect.stringMatching(/^\.spec\.containers\[name="Second_"\]\.ports\[.*\.bar: field not declared/)],
    ])
    const twice = 'metadata: {name: a}\nspec:\n  containers:\n  - name: a\n  - name: a\n'
    expect(await marksAfter(head + twice, request)).toEqual([
      ['containers:', '.spec.containers: duplicate entries for key [name="a"]'],
    ])
  })

  it('are none where the server names no field', async () => {
    expect(marksOf({}, POD)).toEqual([])
    expect(marksOf({ message: 'pods "a" is forbidden' }, POD)).toEqual([])
    expect(await marksFor(POD, 'nonsense')).toEqual([])
  })

  it('are counted in the whole text, where it has several manifests', () => {
    const text =
      '# one\nkind: A\napiVersion: v1\nmetadata: {name: a}\n---\n---\nkind: B\napiVersion: v1\nmetadata: {name: b}\n'
    const places = manifestsIn(text, 'default').map(({ text: part, linesBefore }) => {
      const causes = [{ field: 'metadata.name', message: 'Invalid value' }]
      const [mark] = marksOf({ details: { causes } }, part, linesBefore)
      return text.split('\n')[mark!.line - 1]
    })
    expect(places).toEqual(['metadata: {name: a}', 'metadata: {name: b}'])
  })
})
