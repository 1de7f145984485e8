// `quarterdeck check`: validates definitions and objects as the server would, but without a server. Every error is one line with its place:
// `file:line: field: error`.
import { asMap } from '../api/members.ts'
import { isList, isMap, own, type Value } from '../api/value.ts'
import { splitDocuments } from '../codec/yaml-document.ts'
import { type FindLine, yamlLines } from '../codec/yaml-lines.ts'
import { YamlError } from '../codec/yaml-faults.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import { boundHints } from '../kinds/kinds.ts'
import { readCommandLine } from './command-flags.ts'
import { inputName, readInput } from './input.ts'
import { DEFINITION, kindOf, ObjectChecker } from './object-checker.ts'
import { inOneLine, print } from './output.ts'

interface Document {
  readonly file: string
  /** The number of lines before the document in its file. */
  readonly before: number
  readonly value: Value
  readonly lineOf: FindLine
}

/** The exit code is 1 if there is an error. */
export async function runCheck(args: readonly string[]): Promise<number> {
  const wanted = 'name the files to check, or - for standard input'
  const { operands: files } = readCommandLine('check', args, { least: 1, most: Infinity, wanted })
  const found = new Findings()
  const documents: Document[] = []
  for (const file of files) documents.push(...readDocuments(file, (await readInput(file)).toString(), found))
  const checker = new Checker(found)
  const objects = documents.flatMap(itemsOf)
  // Checks definitions first, because the files may have them after their objects.
  for (const document of objects) if (kindOf(document.value) === DEFINITION) checker.check(document)
  for (const document of objects) if (kindOf(document.value) !== DEFINITION) checker.check(document)
  found.print(objects.length)
  return found.count === 0 ? 0 : 1
}

function readDocuments(file: string, text: string, found: Findings): readonly Document[] {
  const documents: Document[] = []
  let from = 0
  for (const part of splitDocuments(text)) {
    const start = Math.max(text.indexOf(part, from), 0)
    from = start + part.length
    const before = text.slice(0, start).split('\n').length - 1
    try {
      const { value, duplicates } = parseYaml(Buffer.from(part))
      for (const duplicate of duplicates) found.add(file, { line: before + lineIn(duplicate), text: duplicate })
      documents.push({ file, before, value, lineOf: yamlLines(part) })
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      found.add(file, { line: before + lineIn(error.message), text: error.message })
    }
  }
  return documents
}

function lineIn(message: string): number {
  return Number(/line (\d+)/.exec(message)?.[1] ?? 1)
}

/** The items of a list, or the object itself. */
function itemsOf(document: Document): readonly Document[] {
  const { value, lineOf } = document
  const items = isMap(value) && value['kind'] === 'List' ? own(value, 'items') : undefined
  if (!isList(items)) return [document]
  return items.map((item, i) => ({ ...document, value: item, lineOf: (field) => lineOf(`items[${i}].${field}`) }))
}

class Findings {
  count = 0
  readonly #lines: string[] = []

  add(file: string, { line, text }: { readonly line: number; readonly text: string }): void {
    this.count++
    this.#lines.push(inOneLine(`${inputName(file)}:${line}: ${text}`))
  }

  print(objects: number): void {
    for (const line of this.#lines) print(`${line}\n`)
    const objectsText = `${objects} ${objects === 1 ? 'object' : 'objects'}`
    if (this.count === 0) print(`${objectsText}: no errors\n`)
    else print(`${objectsText}: ${this.count} ${this.count === 1 ? 'error' : 'errors'}\n`)
  }
}

class Checker {
  readonly #found: Findings
  readonly #objects = new ObjectChecker()

  constructor(found: Findings) {
    this.#found = found
  }

  check(document: Document): void {
    const { value } = document
    const faults = this.#objects.faultsOf(value)
    if (faults === undefined) {
      const kind = kindOf(value)
      const what =
        kind === ''
          ? 'an object must have an apiVersion and a kind'
          : `unknown kind ${kind}: neither built in nor defined by these files`
      this.#tell(document, '', what)
      return
    }
    for (const { field, message } of faults) {
      this.#tell(document, field, message)
      if (!message.includes('exceeds budget')) continue
      for (const hint of boundHints(asMap(value), asWritten(field))) this.#tell(document, field, hint)
    }
  }

  #tell({ file, before, lineOf }: Document, field: string, message: string): void {
    const place = field === '<nil>' ? '' : asWritten(field)
    const isPrefixed = place === '' || message.includes(place)
    this.#found.add(file, { line: before + lineOf(place), text: isPrefixed ? message : `${place}: ${message}` })
  }
}

/** Faults of definitions name the fields of an older API version. Users write version v1. */
function asWritten(field: string): string {
  return field
    .replace(/^spec\.validation\./, 'spec.versions[0].schema.')
    .replace(/^spec\.(subresources|additionalPrinterColumns|selectableFields)\b/, 'spec.versions[0].$1')
    .replace(/^spec\.conversion\.webhookClientConfig/, 'spec.conversion.webhook.clientConfig')
    .replace(/^spec\.conversion\.conversionReviewVersions/, 'spec.conversion.webhook.conversionReviewVersions')
    .replace(/\.JSONPath$/, '.jsonPath')
}
