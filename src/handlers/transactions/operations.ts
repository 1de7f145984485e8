// The operations of a transaction, read from its body. Objects and patches stay bytes: the handler of each verb reads them like the body of
// a request.
import { ApiError } from '../../api/status.ts'
import { JsonSpans, type Span } from './json-spans.ts'

export const MOST_OPERATIONS = 100
export const MOST_BYTES = 1024 * 1024

export type OperationVerb = 'create' | 'update' | 'apply' | 'patch' | 'delete' | 'expect'

export interface Target {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  /** Empty for an object whose name is generated. */
  readonly name: string
}

export interface Operation {
  readonly verb: OperationVerb
  readonly target: Target
  /** The object, the patch or the DeleteOptions. */
  readonly body: Buffer
  readonly fieldManager: string
  readonly force: boolean
  /** The type of a patch: json, merge or strategic. Empty for other operations. */
  readonly patchType: string
  /** For `expect`: the stored version. Empty: there must be no object. */
  readonly resourceVersion: string
}

const VERBS: readonly OperationVerb[] = ['create', 'update', 'apply', 'patch', 'delete', 'expect']
/** Other members are refused, because such a member could be a precondition of the write. */
const ENVELOPE: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'operations'])
const TARGET: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'namespace', 'name'])
const OPTIONS: ReadonlySet<string> = new Set(['fieldManager', 'force'])
const OPERATION: ReadonlySet<string> = new Set([...VERBS, ...OPTIONS])
const OF_OBJECT: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])
const OF_METADATA: ReadonlySet<string> = new Set(['namespace', 'name'])
const DRY_RUN: ReadonlySet<string> = new Set(['dryRun'])
const PATCH_TYPES: ReadonlySet<string> = new Set(['json', 'merge', 'strategic'])
const NOTHING = Buffer.alloc(0)

/** Throws `BadRequest`, and 413 if there are too many operations. */
export function readOperations(bytes: Buffer, apiVersion: string): readonly Operation[] {
  const spans = new JsonSpans(bytes)
  const envelope = spans.members(spans.whole, 'the transaction', ENVELOPE)
  const [kind, version] = [
    spans.text(envelope.get('kind'), 'kind'),
    spans.text(envelope.get('apiVersion'), 'apiVersion'),
  ]
  if (kind !== 'Transaction' || (version !== '' && version !== apiVersion)) {
    throw new ApiError('BadRequest', `the body must be of kind Transaction, apiVersion ${apiVersion}`)
  }
  const list = envelope.get('operations')
  const items = list === undefined ? undefined : spans.items(list, 'operations', MOST_OPERATIONS)
  if (items === undefined || items.count === 0)
    throw new ApiError('BadRequest', 'operations must name at least one operation')
  if (items.count > MOST_OPERATIONS) {
    const message = `Request entity too large: a transaction has at most ${MOST_OPERATIONS} operations, and this one has ${items.count}`
    throw new ApiError('RequestEntityTooLarge', message)
  }
  return items.first.map((item, at) => readOperation(spans, item, `operations[${at}]`))
}

function readOperation(spans: JsonSpans, item: Span, what: string): Operation {
  const members = spans.members(item, what, OPERATION)
  const verbs = VERBS.filter((verb) => members.has(verb))
  const [verb] = verbs
  if (verb === undefined || verbs.length > 1) {
    throw new ApiError('BadRequest', `${what} must have exactly one of ${VERBS.join(', ')}`)
  }
  const misplaced = isWrite(verb) ? undefined : [...OPTIONS].find((name) => members.has(name))
  if (misplaced !== undefined) throw new ApiError('BadRequest', `${what} has the unknown member "${misplaced}"`)
  const at = `${what}.${verb}`
  const given = members.get(verb)!
  const fieldManager = spans.text(members.get('fieldManager'), `${what}.fieldManager`)
  const force = flag(spans, members.get('force'), `${what}.force`)
  if (force && verb !== 'apply') throw new ApiError('BadRequest', `${what}.force is only for apply`)
  const common = { verb, fieldManager, force, patchType: '', resourceVersion: '', body: NOTHING }
  switch (verb) {
    case 'create':
    case 'update':
    case 'apply':
      return { ...common, target: targetOfObject(spans, given, at), body: spans.slice(given) }
    case 'patch': {
      const { target, rest } = withTarget(spans, given, at, ['type', 'patch'])
      const patchType = spans.text(rest.get('type'), `${at}.type`)
      const patch = rest.get('patch')
      if (!PATCH_TYPES.has(patchType)) throw new ApiError('BadRequest', `${at}.type must be json, merge or strategic`)
      if (patch === undefined) throw new ApiError('BadRequest', `${at}.patch is missing`)
      return { ...common, target, patchType, body: spans.slice(patch) }
    }
    case 'delete': {
      const { target, rest } = withTarget(spans, given, at, ['options'])
      const options = rest.get('options')
      if (options !== undefined && spans.selected(options, `${at}.options`, DRY_RUN).has('dryRun')) {
        throw new ApiError('BadRequest', `${at}.options.dryRun: only the whole transaction can be a dry run`)
      }
      return { ...common, target, body: options === undefined ? NOTHING : spans.slice(options) }
    }
    case 'expect': {
      const { target, rest } = withTarget(spans, given, at, ['resourceVersion', 'absent'])
      const resourceVersion = spans.text(rest.get('resourceVersion'), `${at}.resourceVersion`)
      if (flag(spans, rest.get('absent'), `${at}.absent`) === (resourceVersion !== '')) {
        throw new ApiError('BadRequest', `${at} must have either a resourceVersion or absent: true`)
      }
      return { ...common, target, resourceVersion }
    }
  }
}

function isWrite(verb: OperationVerb): boolean {
  return verb !== 'delete' && verb !== 'expect'
}

function targetOfObject(spans: JsonSpans, span: Span, at: string): Target {
  const object = spans.selected(span, at, OF_OBJECT)
  const metadata = object.get('metadata')
  const meta = metadata === undefined ? [] : spans.selected(metadata, `${at}.metadata`, OF_METADATA)
  return targetOf(spans, new Map([...object, ...meta]), at)
}

function withTarget(
  spans: JsonSpans,
  span: Span,
  at: string,
  others: readonly string[],
): { readonly target: Target; readonly rest: ReadonlyMap<string, Span> } {
  const rest = spans.members(span, at, new Set(['target', ...others]))
  const given = rest.get('target')
  if (given === undefined) throw new ApiError('BadRequest', `${at}.target is missing`)
  const members = spans.members(given, `${at}.target`, TARGET)
  const target = targetOf(spans, members, `${at}.target`)
  if (target.name === '') throw new ApiError('BadRequest', `${at}.target.name is missing`)
  return { target, rest }
}

function targetOf(spans: JsonSpans, members: ReadonlyMap<string, Span | undefined>, at: string): Target {
  const text = (name: string): string => spans.text(members.get(name), `${at}: ${name}`)
  const target = {
    apiVersion: text('apiVersion'),
    kind: text('kind'),
    namespace: text('namespace'),
    name: text('name'),
  }
  for (const name of ['apiVersion', 'kind'] as const) {
    if (target[name] === '') throw new ApiError('BadRequest', `${at}: ${name} is missing`)
  }
  return target
}

function flag(spans: JsonSpans, span: Span | undefined, what: string): boolean {
  const value = span === undefined ? false : spans.value(span, what)
  if (typeof value === 'boolean') return value
  throw new ApiError('BadRequest', `${what} must be true or false`)
}
