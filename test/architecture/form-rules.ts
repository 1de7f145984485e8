// The rules about single files: length, names, exports, module-level state, comments. Pure: sources in, violations out.
import { EMPTY_WORDS, LONG_FILES, MAX_LINES, MOST_UNTYPED_FILES, SYSTEM_CHANCE, SYSTEM_TIME } from './rooms.ts'
import type { Violation } from './layer-rules.ts'
import { isNode, nodesIn, type Node, type SourceFile } from './source.ts'

export function checkLength(files: readonly SourceFile[]): Violation[] {
  return files
    .filter((file) => LONG_FILES[file.path] === undefined)
    .map((file) => ({ file, lines: file.text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ file, lines }) => `${file.path}: has ${lines} lines, more than ${MAX_LINES}`)
}

export function checkNames(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    const parts = file.path.replace(/(\.test)?\.tsx?$/, '').split('/')
    return parts.flatMap((part) => {
      const words = part.split('-')
      const empty = words.find((word) => EMPTY_WORDS.includes(word))
      if (empty !== undefined) return [`${file.path}: "${empty}" does not say what it is for`]
      if (part === 'index' && file.path !== 'src/index.ts') return [`${file.path}: is named index`]
      return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(part) ? [] : [`${file.path}: "${part}" is not kebab-case`]
    })
  })
}

const TYPED_ROOMS = /^src\/(?:kinds|plugins|controllers)\//

/** Reading by name is for data without types: a misspelt name compiles there. */
export function checkTypedReads(files: readonly SourceFile[]): Violation[] {
  const untyped = files.filter(({ path, text }) => TYPED_ROOMS.test(path) && /'[./]*api\/members\.ts'/.test(text))
  if (untyped.length <= MOST_UNTYPED_FILES) return []
  const names = untyped.map(({ path }) => path).join(', ')
  return [`${untyped.length} files read fields by name, more than ${MOST_UNTYPED_FILES}: ${names}`]
}

const PASSING_ON: readonly string[] = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration']

/** How an export begins that is not of a declaration; most files have none and need no parsing for this. */
const EXPORT_OF_OTHERS = /\bexport\s*(type\b\s*)?([{*]|default\b)/

export function checkExports(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    if (!EXPORT_OF_OTHERS.test(file.text)) return []
    const found: Violation[] = []
    const types = file.statements.map((statement) => statement.type)
    if (types.some((type) => type === 'ExportDefaultExpression' || type === 'ExportDefaultDeclaration')) {
      found.push(`${file.path}: has a default export`)
    }
    const reExports = file.statements.some(
      (statement) => isNode(statement['source']) && statement.type.startsWith('Export'),
    )
    const barrel = types.includes('ExportAllDeclaration') || (reExports && types.every((t) => PASSING_ON.includes(t)))
    if (barrel && file.path !== 'src/index.ts') found.push(`${file.path}: is a barrel`)
    return found
  })
}

export function checkState(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) =>
    file.statements.flatMap((statement) => {
      const declaration = isNode(statement['declaration']) ? statement['declaration'] : statement
      return stateIn(declaration).map((what) => `${file.path}: ${what}`)
    }),
  )
}

function stateIn(declaration: Node): string[] {
  if (declaration.type === 'ClassDeclaration') {
    return (declaration['body'] as readonly Node[])
      .filter(
        (member) => member['isStatic'] === true && member.type.endsWith('Property') && member['readonly'] !== true,
      )
      .map((member) => `static ${nameOf(member['key'])} can change`)
  }
  if (declaration.type !== 'VariableDeclaration' || declaration['declare'] === true) return []
  const declarators = declaration['declarations'] as readonly Node[]
  if (declaration['kind'] !== 'const') return declarators.map(({ id }) => `${nameOf(id)} is a module-level variable`)
  return declarators
    .filter(({ id, init }) => isNode(init) && canChange(init, annotationOf(id)))
    .map(
      ({ id }) => `${nameOf(id)} is module-level state; say Readonly…, as const or Object.freeze where it is a table`,
    )
}

const CHANGEABLE_TYPES: readonly string[] = ['Array', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Record', 'Partial']

/** Whether what a module-level constant is bound to may be changed, as far as its declaration shows. */
function canChange(init: Node, annotation: Node | undefined): boolean {
  switch (init.type) {
    case 'TsConstAssertion':
      return false
    case 'TsSatisfiesExpression':
    case 'TsAsExpression':
    case 'ParenthesisExpression':
      return canChange(init['expression'] as Node, annotation)
    case 'RegExpLiteral':
      return /[gy]/.test(String(init['flags']))
    case 'NewExpression': {
      const made = nameOf(init['callee'])
      if (made.startsWith('Weak')) return true
      return ['Map', 'Set', 'Array'].includes(made) && !saysReadonly(annotation)
    }
    case 'ArrayExpression':
    case 'ObjectExpression':
      return !saysReadonly(annotation)
    default:
      return false
  }
}

/** `readonly T[]`, `Readonly…<>`, or a named type of ours, whose members are readonly by convention. */
function saysReadonly(annotation: Node | undefined): boolean {
  if (annotation === undefined) return false
  if (annotation.type === 'TsTypeOperator') return annotation['op'] === 'readonly'
  return annotation.type === 'TsTypeReference' && !CHANGEABLE_TYPES.includes(nameOf(annotation['typeName']))
}

function annotationOf(id: unknown): Node | undefined {
  const wrapped = isNode(id) ? id['typeAnnotation'] : undefined
  return isNode(wrapped) && isNode(wrapped['typeAnnotation']) ? wrapped['typeAnnotation'] : undefined
}

function nameOf(node: unknown): string {
  return isNode(node) && typeof node['value'] === 'string' ? node['value'] : 'something'
}

const UNWANTED_WORDS = /@ts-(ignore|expect-error|nocheck)|\b(TODO|FIXME|XXX)\b/

/** Members that others have marked as their own, what changes V8 while it runs, and what takes the place of others' listeners. */
const UNPROMISED = /\w\._[a-z]\w*|\bsetFlagsFromString\b|\bprocess\.binding\b|\bremoveAllListeners\b/

export function checkUnpromised(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ path }) => !path.startsWith('src/lib/runtime/'))
    .flatMap(({ path, text }) => {
      const found = UNPROMISED.exec(text)?.[0]
      return found === undefined ? [] : [`${path}: relies on ${found}, which belongs to runtime`]
    })
}

/** `new Date(…)` of something, and `setTimeout` of a socket, are something else. */
const TIME = /\bDate\.now\b|\bnew Date\(\)|(?<!\.)\bsetTimeout\b|\bsetInterval\b|\b(?:system|program)Clock\b/
const CHANCE = /\brandomUUID\b|\brandomInt\b|\bMath\.random\b/

/** Only those that are listed go by the system's time and chance. */
export function checkTime(files: readonly SourceFile[]): Violation[] {
  return [
    ...checkSystem(files, { word: TIME, allowed: SYSTEM_TIME, instead: 'the clock that it is given' }),
    ...checkSystem(files, { word: CHANCE, allowed: SYSTEM_CHANCE, instead: 'the random source that it is given' }),
  ]
}

interface SystemRule {
  readonly word: RegExp
  readonly allowed: Readonly<Record<string, string>>
  readonly instead: string
}

function checkSystem(files: readonly SourceFile[], { word, allowed, instead }: SystemRule): Violation[] {
  const mayUse = (path: string): boolean => Object.keys(allowed).some((place) => path.startsWith(place))
  return files.flatMap(({ path, text }) => {
    const found = word.exec(text)?.[0]
    return found === undefined || mayUse(path) ? [] : [`${path}: has ${found} and not ${instead}`]
  })
}

/** The places that are excepted from `checkTime` and need not be. */
export function needlessExceptions(files: readonly SourceFile[]): string[] {
  const unused = (allowed: Readonly<Record<string, string>>, word: RegExp): string[] =>
    Object.keys(allowed).filter((place) => !files.some(({ path, text }) => path.startsWith(place) && word.test(text)))
  return [...unused(SYSTEM_TIME, TIME), ...unused(SYSTEM_CHANCE, CHANCE)]
}

export function checkComments(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    const text = file.text.replace(/^#!.*\n/, '')
    const found = /^(\/\/|\/\*\*)/.test(text) ? [] : [`${file.path}: does not open with what it is for`]
    const unwanted = UNWANTED_WORDS.exec(text)
    return unwanted === null ? found : [...found, `${file.path}: has ${unwanted[0]}`]
  })
}

const COMMENT = /\/\*.*?\*\/|(?:^|\s)\/\/[^\n]*/gs
const FILE_NAME = /(?<![\w@./-])(?:\.{1,2}\/)*((?:[\w-]+\/)*[\w.-]+\.(?:tsx?|md))(?![\w-])/g

/** The files that a text names and that are not there. A name is the end of a path: `kv.ts`, `kv/kv.ts`. */
export function missingFiles(text: string, paths: readonly string[]): readonly string[] {
  const names = Array.from(text.matchAll(FILE_NAME), ([, name = '']) => name)
  return names.filter((name) => !paths.some((file) => file === name || file.endsWith(`/${name}`)))
}

/** Comments name files that exist. `paths` are all files of the project. */
export function checkMentions(files: readonly SourceFile[], paths: readonly string[]): Violation[] {
  return files.flatMap(({ path, text }) =>
    missingFiles((text.match(COMMENT) ?? []).join('\n'), paths).map(
      (name) => `${path}: names ${name}, which does not exist`,
    ),
  )
}

const LEFT_OUT: readonly string[] = ['skip', 'only', 'todo', 'skipIf', 'runIf', 'fails']

export function checkTests(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ text }) => LEFT_OUT.some((word) => text.includes(`.${word}`)))
    .filter((file) =>
      nodesIn(file.statements).some(
        (node) =>
          node.type === 'MemberExpression' &&
          ['it', 'test', 'describe'].includes(nameOf(node['object'])) &&
          LEFT_OUT.includes(nameOf(node['property'])),
      ),
    )
    .map((file) => `${file.path}: leaves tests out`)
}
