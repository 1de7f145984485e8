// `quarterdeck check`: validates definitions and objects as the server would, without one. Every error is one line with its
// place: `file:line: field: error`.
import { parseArgs } from 'node:util'
import type { FieldError } from '../api/field-error.ts'
import { asMap, textOrAbsent } from '../api/members.ts'
import { withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { formatGroupVersion, parseGroupVersion } from '../api/object.ts'
import { isList, isMap, own, type Value } from '../api/value.ts'
import { canonicalJson } from '../codec/json-encode.ts'
import { splitDocuments } from '../codec/yaml-document.ts'
import { type FindLine, yamlLines } from '../codec/yaml-lines.ts'
import { YamlError } from '../codec/yaml-faults.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import { metaForCreate } from '../registry/object-meta.ts'
import { builtInResources, DefinitionTable, RENAME_VERSION } from '../kinds/kinds.ts'
import { DecodeError } from '../schema/decode.ts'
import { loadBuiltInSchema } from '../schema/schema.ts'
import { ServedObject } from '../registry/served-store.ts'
import { boundHints } from './check-hints.ts'
import { checkContext, installed } from './check-world.ts'
import { inputName, readInput } from './input.ts'
import { reasonOf, usageError } from '../config/start-error.ts'

interface Document {
  readonly file: string
  /** The lines before it in its file. */
  readonly before: number
  readonly value: Value
  readonly lineOf: FindLine
}

/** Resolves with the exit code: 1 where something is wrong. */
export async function runCheck(args: readonly string[]): Promise<number> {
  const files = filesIn(args)
  const found = new Findings()
  const documents: Document[] = []
  for (const file of files) documents.push(...readDocuments(file, await readText(file), found))
  const checker = new Checker(found)
  const objects = documents.flatMap(itemsOf)
  // Definitions come first, whatever the order of the files: objects of theirs may stand before them.
  for (const document of objects) if (kindOf(document.value) === DEFINITION) checker.check(document)
  for (const document of objects) if (kindOf(document.value) !== DEFINITION) checker.check(document)
  found.print(objects.length)
  return found.count === 0 ? 0 : 1
}

const DEFINITION = 'apiextensions.k8s.io/v1 CustomResourceDefinition'

function filesIn(args: readonly string[]): readonly string[] {
  try {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} })
    if (positionals.length > 0) return positionals
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck check --help`)
  }
  throw usageError('name the files to check, or - for standard input; see quarterdeck check --help')
}

async function readText(file: string): Promise<string> {
  try {
    return (await readInput(file)).toString()
  } catch (error) {
    throw usageError(`cannot read ${file}: ${reasonOf(error)}`)
  }
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

/** The objects of a list, or the object itself. */
function itemsOf(document: Document): readonly Document[] {
  const { value, lineOf } = document
  const items = isMap(value) && value['kind'] === 'List' ? own(value, 'items') : undefined
  if (!isList(items)) return [document]
  return items.map((item, i) => ({ ...document, value: item, lineOf: (field) => lineOf(`items[${i}].${field}`) }))
}

function kindOf(value: Value): string {
  const [apiVersion, kind] = [textOrAbsent(asMap(value), 'apiVersion'), textOrAbsent(asMap(value), 'kind')]
  return apiVersion === undefined || kind === undefined ? '' : `${apiVersion} ${kind}`
}

class Findings {
  count = 0
  readonly #lines: string[] = []

  add(file: string, { line, text }: { readonly line: number; readonly text: string }): void {
    this.count++
    this.#lines.push(`${inputName(file)}:${line}: ${text}`)
  }

  print(objects: number): void {
    for (const line of this.#lines) process.stdout.write(`${line}\n`)
    const objectsText = `${objects} ${objects === 1 ? 'object' : 'objects'}`
    if (this.count === 0) process.stdout.write(`${objectsText}: no errors\n`)
    else process.stdout.write(`${objectsText}: ${this.count} ${this.count === 1 ? 'error' : 'errors'}\n`)
  }
}

class Checker {
  readonly #found: Findings
  readonly #table: DefinitionTable
  readonly #resources: ResourceTable

  constructor(found: Findings) {
    const schema = loadBuiltInSchema()
    this.#found = found
    this.#resources = builtInResources(schema, canonicalJson)
    this.#table = new DefinitionTable({
      schema,
      builtIn: this.#resources,
      encode: canonicalJson,
      serve: (stored, object, type) => new ServedObject(stored, object, type),
      converter: () => RENAME_VERSION,
      onRetired: () => {},
    })
  }

  check(document: Document): void {
    const { value } = document
    const resource = this.#resourceOf(value)
    if (resource === undefined || !isMap(value)) {
      const kind = kindOf(value)
      const what =
        kind === ''
          ? 'an object must have an apiVersion and a kind'
          : `unknown kind ${kind}: neither built in nor defined by these files`
      this.#tell(document, '', what)
      return
    }
    const object = this.#decode(resource, document)
    if (object === undefined) return
    for (const { field, message } of faultsOf(resource, object)) {
      this.#tell(document, field, message)
      if (!message.includes('exceeds budget')) continue
      for (const hint of boundHints(value, asWritten(field))) this.#tell(document, field, hint)
    }
    if (kindOf(value) === DEFINITION) this.#table.put(installed(object))
  }

  #resourceOf(value: Value): Resource | undefined {
    const [apiVersion = '', kind = ''] = kindOf(value).split(' ')
    const gv = parseGroupVersion(apiVersion)
    for (const resource of gv === undefined ? [] : this.#table.all()) {
      if (resource.kind === kind && formatGroupVersion(resource) === apiVersion) return resource
    }
    return undefined
  }

  #decode(resource: Resource, document: Document): ApiObject | undefined {
    try {
      const { value, problems } = resource.decode(document.value)
      for (const problem of problems) this.#tell(document, /"(.*)"/.exec(problem)?.[1] ?? '', problem)
      const sent = { ...value, kind: resource.kind, apiVersion: formatGroupVersion(resource) } as ApiObject
      const context = checkContext()
      return resource.withDefaults(sent, { gates: context.gates, now: () => context.now })
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      this.#tell(document, /(?:field )?\w+\.([\w.]+) of type/.exec(error.message)?.[1] ?? '', error.message)
      return undefined
    }
  }

  #tell({ file, before, lineOf }: Document, field: string, message: string): void {
    const place = field === '<nil>' ? '' : asWritten(field)
    const isPrefixed = place === '' || message.includes(place)
    this.#found.add(file, { line: before + lineOf(place), text: isPrefixed ? message : `${place}: ${message}` })
  }
}

/** What the server would answer with; not what depends on others: whether there is such a namespace, who may do it. */
function faultsOf(resource: Resource, sent: ApiObject): readonly FieldError[] {
  const context = checkContext()
  const placed =
    resource.namespaced && own(sent.metadata, 'namespace') === undefined
      ? withMeta(sent, { namespace: 'default' })
      : sent
  const { strategy } = resource
  const prepared = strategy.prepareForCreate(metaForCreate(placed, context), context)
  return strategy.validateCreate(resource.toCanonical(prepared), context)
}

/** Faults of definitions name fields of an older form of theirs; people have written them as version 1. */
function asWritten(field: string): string {
  return field
    .replace(/^spec\.validation\./, 'spec.versions[0].schema.')
    .replace(/^spec\.(subresources|additionalPrinterColumns|selectableFields)\b/, 'spec.versions[0].$1')
    .replace(/^spec\.conversion\.webhookClientConfig/, 'spec.conversion.webhook.clientConfig')
    .replace(/^spec\.conversion\.conversionReviewVersions/, 'spec.conversion.webhook.conversionReviewVersions')
    .replace(/\.JSONPath$/, '.jsonPath')
}
