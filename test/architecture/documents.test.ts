// What people are told to type is there. That what they are told to program compiles and runs is seen in the package (test/integration).
import { describe, expect, it } from 'vitest'
import { documentedExamples, examplesIn } from '../fakes/documents.ts'
import { checkCommands } from './document-rules.ts'

it('every command in a document is one that there is', () => {
  expect(checkCommands(documentedExamples())).toEqual([])
})

it('the examples are found', () => {
  const found = documentedExamples()
  expect(found).toContainEqual(expect.objectContaining({ file: 'README.md', language: 'ts' }))
  expect(found.some(({ text }) => text.startsWith('quarterdeck serve --etcd-servers'))).toBe(true)
  expect(found.some(({ text }) => text === 'quarterdeck test -- COMMAND')).toBe(true)
})

describe('a document is read', () => {
  const text = (document: string) => examplesIn('a.md', document).map((one) => [one.line, one.language, one.text])

  it('with indented blocks, also in lists', () => {
    expect(text('Try:\n\n    make run   # the server\n    make test\n\nor\n')).toEqual([
      [3, 'sh', 'make run   # the server\nmake test'],
    ])
    const inList =
      '2. In a test:\n\n        import { a } from "b"\n\n        a({\n          c: 1,\n        })\n\n   and more.\n'
    expect(text(inList)).toEqual([[3, 'ts', 'import { a } from "b"\n\na({\n  c: 1,\n})']])
  })

  it('with fenced blocks', () => {
    expect(text('Try:\n\n```sh\nmake run\n```\n\n```ts\nf()\n```\n')).toEqual([
      [4, 'sh', 'make run'],
      [8, 'ts', 'f()'],
    ])
  })

  it('with what is in backquotes, over the end of a line too', () => {
    expect(text('`npm\n   pack` makes it, `--dev` allows it, `nothing` else\n')).toEqual([
      [1, 'sh', 'npm pack'],
      [2, 'sh', '--dev'],
    ])
  })
})

describe('what is not there is found', () => {
  it.each([
    ['make runn', 'there is no target runn'],
    ['make soak MINUTES=60 again', 'there is no target again'],
    ['npm run serve', 'there is no script serve'],
    ['npm start -- --in-memry', 'there is no flag --in-memry'],
    ['npm run quarterdeck -- sreve --help', 'there is no command quarterdeck sreve'],
    ['npx quarterdeck lint', 'there is no command quarterdeck lint'],
    ['quarterdeck serve --etcd-server … \\\n  --client-ca-file …', 'there is no flag --etcd-server'],
    ['quarterdeck test --dve -- go test --no-flag-of-ours', 'there is no flag --dve'],
    ['--virtual-clocks', 'there is no flag --virtual-clocks'],
    ['$ make run\nquarterdeck 0.1.0 is listening\n$ kustomize build', 'there is no command kustomize'],
  ])('%j', (text, fault) => {
    expect(checkCommands([{ file: 'a.md', line: 1, language: 'sh', text }])).toEqual([`a.md:1: ${fault}`])
  })
})
