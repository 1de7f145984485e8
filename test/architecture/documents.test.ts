// What people are told to type is there. That what they are told to program compiles and runs is seen in the package (test/integration).
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { documentedCommands, RUN_BY_NONE, RUN_ELSEWHERE, RUN_HERE } from '../corpora/documented-commands.ts'
import { documentedExamples, examplesIn } from '../corpora/documents.ts'
import { checkCommands } from './document-rules.ts'
import { FLAGS_DOCUMENT, flagsDocument } from './reference-documents.ts'

it('every command in a document is one that there is', () => {
  expect(checkCommands(documentedExamples())).toEqual([])
})

it('the examples are found', () => {
  const found = documentedExamples()
  expect(found).toContainEqual(expect.objectContaining({ file: 'README.md', language: 'ts' }))
  expect(found.some(({ text }) => text.startsWith('quarterdeck serve --etcd-servers'))).toBe(true)
  expect(found.some(({ text }) => text === 'quarterdeck test -- COMMAND')).toBe(true)
})

/** npm shows the README without the files beside it. */
const OWN_PAGES =
  /^https:\/\/(github\.com\/quarterdeck\/quarterdeck\/blob|raw\.githubusercontent\.com\/quarterdeck\/quarterdeck)\/main\//

describe('every link in a document', () => {
  const top = path.join(import.meta.dirname, '../..')
  const documents = globSync(['README.md', '{deploy,test,.github}/**/*.md', 'src/README.md'], {
    cwd: top,
    exclude: ['test/conformance/**', '**/node_modules/**'],
  })
  const anchorsOf = (file: string): readonly string[] =>
    Array.from(readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    )

  it.each(documents)('of %s leads to a file and a heading that exist', (document) => {
    const text = readFileSync(path.join(top, document), 'utf8')
    const targets = Array.from(
      text.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g),
      ([, link, image]) => link ?? image ?? '',
    )
    const dead = targets
      .map((target) => target.replace(OWN_PAGES, ''))
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [place = '', anchor] = target.split('#')
        const file = place === '' ? path.join(top, document) : path.join(top, path.dirname(document), place)
        return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
      })
    expect(dead).toEqual([])
  })

  it('of the README works on the page of the package too', () => {
    const targets = Array.from(readFileSync(path.join(top, 'README.md'), 'utf8').matchAll(/\]\(([^)]+)|src="([^"]+)/g))
    expect(targets.length).toBeGreaterThan(20)
    expect(targets.map(([, link, image]) => link ?? image).filter((target) => !target?.startsWith('https:'))).toEqual(
      [],
    )
  })

  it('is looked at', () => expect(documents.length).toBeGreaterThan(15))
})

it('the list of flags is current: `make generate` renews it', () => {
  const there = readFileSync(path.join(import.meta.dirname, '../..', FLAGS_DOCUMENT), 'utf8')
  expect(there).toBe(flagsDocument())
})

describe('what operators are told to look for', () => {
  const read = (file: string): string => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8')
  const rowsOf = (heading: string): readonly string[] => {
    const [, rest = ''] = read('deploy/operations.md').split(`\n## ${heading}\n`)
    return Array.from(rest.split('\n## ')[0]!.matchAll(/^\| `(.+?)` \|/gm), ([, first = '']) => first)
  }
  const sources = globSync('src/**/*.ts', { cwd: path.join(import.meta.dirname, '../..') })
    .filter((file) => !file.includes('/gen/'))
    .map(read)
    .join('\n')

  it.each(rowsOf('Troubleshooting'))('is a message of the program: %s', (message) => {
    const pieces = message.split('…').map((piece) => piece.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    expect(new RegExp(pieces.join('.{1,80}?')).test(sources)).toBe(true)
  })

  it.each(rowsOf('Metrics and alerts'))('is a metric: %s', (name) => {
    expect(read('deploy/reference/metrics.md')).toContain(`| \`${name}\` |`)
  })

  it('hardens with flags whose values are taken', async () => {
    const [, rest = ''] = read('deploy/security.md').split('\n## Hardening\n')
    const rows = Array.from(rest.split('\n## ')[0]!.matchAll(/\| `(--[^`]+)` \|$/gm), ([, flags = '']) => flags)
    expect(rows.length).toBeGreaterThan(6)
    await readConfig(['--in-memory', ...rows.flatMap((flags) => flags.split(' '))], {})
  })

  it('is there', () => {
    expect(rowsOf('Troubleshooting').length).toBeGreaterThan(20)
    expect(rowsOf('Metrics and alerts').length).toBeGreaterThan(8)
  })
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

describe('every command that users are told to type', () => {
  const here = Object.values(RUN_HERE).flatMap((commands) => Object.keys(commands))
  const known = [...here, ...Object.keys(RUN_ELSEWHERE), ...Object.keys(RUN_BY_NONE)]

  it('is run by a test, or is known not to be: see documented-commands.ts', () => {
    const commands = documentedCommands()
    expect(commands.filter((command) => !known.includes(command))).toEqual([])
  })

  it('is in a document', () => {
    const commands = documentedCommands()
    expect(known.filter((command) => !commands.includes(command))).toEqual([])
  })

  it.each(Object.entries(RUN_ELSEWHERE))('and elsewhere where that is said: %s', (_command, [test, words]) => {
    const text = readFileSync(path.join(import.meta.dirname, '../..', test), 'utf8')
    expect([test, words, text.includes(words)]).toEqual([test, words, true])
  })
})
