// What public projects ship for this API: definitions of kinds, objects of those kinds, admission policies. It is read out of their
// Go modules, which come through the Go module proxy into Go's own cache; nothing of theirs is in this repository.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isMap, type ValueMap } from '../../src/api/value.ts'
import { splitDocuments } from '../../src/codec/yaml-document.ts'
import { YamlError } from '../../src/codec/yaml-faults.ts'
import { parseYaml } from '../../src/codec/yaml-parse.ts'
import { runGo } from '../rigs/go-toolchain.ts'

/** One document of a file, as somebody would apply it. */
export interface PublicDocument {
  /** `path@version`. */
  readonly module: string
  /** The file in the module, and which of its documents it is. */
  readonly place: string
  /** YAML or JSON, as it is sent. */
  readonly text: string
  readonly apiVersion: string
  readonly kind: string
  readonly value: ValueMap
}

/** All documents of the modules (`path@version`) that say what they are. */
export async function readModules(modules: readonly string[]): Promise<readonly PublicDocument[]> {
  const folders = await fetchModules(modules)
  return [...folders].flatMap(([module, folder]) => [...documentsIn(folder, module)])
}

/** The folder of each, in Go's cache. */
export async function fetchModules(modules: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const told = await runGo(['mod', 'download', '-json', ...modules], import.meta.dirname)
  const records = told.split(/(?<=^\})\n/m).filter((record) => record.trim() !== '')
  return new Map(
    records.map((record) => {
      const { Path, Version, Dir } = JSON.parse(record) as Record<'Path' | 'Version' | 'Dir', string>
      return [`${Path}@${Version}`, Dir]
    }),
  )
}

/** Larger ones are no manifests that anybody applies. */
const MAX_CHARACTERS = 3_000_000

function* documentsIn(folder: string, module: string): Generator<PublicDocument> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  for (const file of files.map((path) => relative(folder, path)).sort()) {
    if (!/\.(?:ya?ml|json)$/.test(file)) continue
    const text = readFileSync(join(folder, file), 'utf8')
    if (!text.includes('apiVersion') || !text.includes('kind')) continue
    const parts = file.endsWith('.json') ? [text] : splitDocuments(text)
    for (const [index, part] of parts.entries()) {
      const value = part.length > MAX_CHARACTERS ? undefined : readMap(part)
      const { apiVersion, kind } = value ?? {}
      if (value === undefined || typeof apiVersion !== 'string' || typeof kind !== 'string') continue
      yield { module, place: `${file}#${index}`, text: part, apiVersion, kind, value }
    }
  }
}

/** Where it is applied, if its kind has namespaces. */
export function namespaceOf({ value: { metadata } }: PublicDocument): string {
  const { namespace } = metadata !== undefined && isMap(metadata) ? metadata : {}
  return typeof namespace === 'string' ? namespace : 'default'
}

/** Undefined for what is something else; templates are among it. */
function readMap(text: string): ValueMap | undefined {
  try {
    const { value } = parseYaml(Buffer.from(text))
    return isMap(value) ? value : undefined
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}
