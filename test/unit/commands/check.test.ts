import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCheck } from '../../../src/commands/check.ts'

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, maximum: 5}
              names:
                type: array
                items: {type: string}
`

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-check-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function check(files: Readonly<Record<string, string>>): Promise<{ code: number; lines: readonly string[] }> {
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  let printed = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text.toString()
    return true
  })
  try {
    const code = await runCheck(Object.keys(files).map((name) => path.join(folder, name)))
    return { code, lines: printed.replaceAll(`${folder}/`, '').trimEnd().split('\n') }
  } finally {
    write.mockRestore()
  }
}

const widget = (spec: string): string =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n${spec}\n`

describe('quarterdeck check', () => {
  it('has nothing to say about what is right', async () => {
    expect(await check({ 'w.yaml': widget('  size: 1'), 'd.yaml': DEFINITION })).toEqual({
      code: 0,
      lines: ['2 objects: no errors'],
    })
  })

  it('tells the line of every fault, in the document of its file', async () => {
    const second = widget('  size: 9\n  odd: 1')
    const { code, lines } = await check({ 'd.yaml': DEFINITION, 'w.yaml': `${widget('  size: 1')}---\n${second}` })
    expect(code).toBe(1)
    expect(lines).toEqual([
      'w.yaml:14: unknown field "spec.odd"',
      'w.yaml:13: Invalid value: 9: spec.size in body should be less than or equal to 5',
      '3 objects: 2 errors',
    ])
  })

  it('says of a definition where it is wrong, in the words that it was written in', async () => {
    const wrong = DEFINITION.replace('maximum: 5', 'default: x')
    const { lines } = await check({ 'd.yaml': wrong })
    expect(lines[0]).toMatch(
      /^d\.yaml:20: spec\.versions\[0\]\.schema\.openAPIV3Schema\.properties\[spec\]\.properties\[size\]\.default: /,
    )
  })

  it('says which bounds a rule needs that might cost too much', async () => {
    const rule =
      "            x-kubernetes-validations:\n            - rule: 'self.names.all(a, self.names.all(b, a == b))'\n"
    const costly = DEFINITION.replace(
      '            properties:\n              size',
      `${rule}            properties:\n              size`,
    )
    const { lines } = await check({ 'd.yaml': costly })
    expect(lines[0]).toContain('estimated rule cost exceeds budget by factor of more than 100x')
    expect(lines.join('\n')).toContain('add maxItems to spec.names')
    expect(lines.join('\n')).toContain('add maxLength to spec.names[]')
  })

  it('holds built-in kinds to their rules too, and knows lists', async () => {
    const list = {
      kind: 'List',
      apiVersion: 'v1',
      items: [{ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'A B' } }],
    }
    const { lines } = await check({ 'l.json': JSON.stringify(list, null, 1) })
    expect(lines[0]).toMatch(/^l\.json:9: metadata\.name: Invalid value: "A B"/)
  })

  it.each([
    ['what is no object', 'just text', /^t\.yaml:1: an object must have an apiVersion and a kind$/],
    [
      'what nobody defined',
      widget('  size: 1'),
      /^t\.yaml:1: unknown kind example\.com\/v1 Widget: neither built in nor defined by these files$/,
    ],
    ['what is no YAML', 'a: [', /^t\.yaml:\d+: yaml: /],
  ])('refuses %s', async (_name, text, expected) => {
    const { code, lines } = await check({ 't.yaml': text })
    expect(code).toBe(1)
    expect(lines[0]).toMatch(expected)
  })
})
