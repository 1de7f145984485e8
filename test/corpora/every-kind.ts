// One object of every kind that is stored, and custom ones (test/fixtures/swap/every-kind.yaml), with where they are written.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type ApiObject, parseGroupVersion } from '../../src/api/object.ts'
import { plainJson } from '../../src/codec/json-encode.ts'
import { splitDocuments } from '../../src/codec/yaml-document.ts'
import { parseYaml } from '../../src/codec/yaml-parse.ts'
import { builtInGroups } from '../../src/schema/built-in-resources.ts'
import { certificateRequest } from './certificate-request.ts'

const FILE = path.join(import.meta.dirname, '../fixtures/swap/every-kind.yaml')
const CUSTOM: Readonly<Record<string, string>> = { Gadget: 'gadgets', Widget: 'widgets' }

export interface KindSample {
  readonly object: ApiObject
  /** Empty where the server makes one up. */
  readonly name: string
  /** The same as JSON. */
  readonly body: string
  /** `/api/v1/namespaces/swap/pods`. */
  readonly collection: string
}

/** In the order in which they can be made. */
export function everyKind(): readonly KindSample[] {
  const request = Buffer.from(certificateRequest([])).toString('base64')
  const text = readFileSync(FILE, 'utf8').replace('$CSR', request)
  return splitDocuments(text).map((document) => {
    const object = parseYaml(Buffer.from(document)).value as ApiObject
    const { name } = object.metadata
    return {
      object,
      name: typeof name === 'string' ? name : '',
      body: plainJson(object),
      collection: collectionOf(object),
    }
  })
}

function collectionOf({ kind, apiVersion, metadata }: ApiObject): string {
  const { group = '', version = '' } = parseGroupVersion(apiVersion) ?? {}
  const versions = builtInGroups().find((built) => built.group === group)?.versions ?? []
  const rows = versions.find((built) => built.version === version)?.resources ?? []
  const plural = CUSTOM[kind] ?? rows.find((row) => row.kind === kind && row.verbs.includes('create'))?.plural
  if (plural === undefined) throw new Error(`no resource is known for ${apiVersion} ${kind}`)
  const root = group === '' ? '/api/v1' : `/apis/${group}/${version}`
  const { namespace } = metadata
  return typeof namespace === 'string' ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`
}
