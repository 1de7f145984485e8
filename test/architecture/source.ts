// Reads TypeScript sources into the few facts that the rules look at. Parsing is swc's: the compiler has no API here.
import { parseSync } from '@swc/core'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A node of the syntax tree; only what is asked for is looked at. */
export interface Node {
  readonly type: string
  readonly [member: string]: unknown
}

export interface SourceFile {
  /** From the top of the project, with `/`: `src/kv/kv.ts`. */
  readonly path: string
  readonly text: string
  /** Parsed when they are first asked for: for most files the text says enough. */
  readonly statements: readonly Node[]
  /** Every module named in an import, a re-export, a dynamic import or an import type, as written. */
  readonly imports: readonly string[]
}

export function parseSource(filePath: string, text: string): SourceFile {
  return new ParsedSource(filePath, text)
}

class ParsedSource implements SourceFile {
  readonly path: string
  readonly text: string
  #statements: readonly Node[] | undefined
  #imports: readonly string[] | undefined

  constructor(filePath: string, text: string) {
    this.path = filePath
    this.text = text
  }

  get statements(): readonly Node[] {
    this.#statements ??= parsed(this.path, this.text)
    return this.#statements
  }

  get imports(): readonly string[] {
    this.#imports ??= importsOf(this)
    return this.#imports
  }
}

function parsed(filePath: string, text: string): readonly Node[] {
  const { body } = parseSync(text, { syntax: 'typescript', tsx: filePath.endsWith('.tsx'), target: 'es2024' })
  return body as unknown as readonly Node[]
}

function importsOf({ text, statements }: SourceFile): readonly string[] {
  // Dynamic imports and import types may stand anywhere, but few files have them.
  const nodes = text.includes('import(') ? nodesIn(statements) : statements
  return [...new Set(nodes.map(namedModule).filter((name) => name !== undefined))]
}

/** Every `.ts` and `.tsx` file below the folder. */
export function readSources(top: string, folder: string): SourceFile[] {
  return readdirSync(path.join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(top, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort()
    .map((file) => parseSource(file, readFileSync(path.join(top, file), 'utf8')))
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** Every node below (and with) the given one. */
export function nodesIn(top: unknown): Node[] {
  const found: Node[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (isNode(value)) found.push(value)
    for (const name in value) if (name !== 'span') visit((value as Record<string, unknown>)[name])
  }
  visit(top)
  return found
}

function namedModule(node: Node): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return stringOf(node['source'])
    case 'TsImportType':
      return stringOf(node['argument'])
    case 'CallExpression': {
      const [first] = node['arguments'] as readonly { readonly expression: unknown }[]
      return isNode(node['callee']) && node['callee'].type === 'Import' ? stringOf(first?.expression) : undefined
    }
    default:
      return undefined
  }
}

function stringOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'StringLiteral' ? String(node['value']) : undefined
}
