// From the objects of the API to what flow control works with. The API has checked them; what is missing all the same is
// taken for its default, so that an odd object can never stop the server.
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'

export interface LevelSpec {
  readonly name: string
  readonly uid: string
  readonly isExempt: boolean
  readonly shares: number
  readonly lendablePercent: number
  /** Undefined: it may borrow whatever others lend. */
  readonly borrowingLimitPercent: number | undefined
  /** Undefined: what finds no seat is turned away. */
  readonly queuing: Queuing | undefined
}

export interface Queuing {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

export interface SchemaSpec {
  readonly name: string
  readonly uid: string
  readonly level: string
  readonly precedence: number
  readonly distinguisher: 'user' | 'namespace' | 'none'
  readonly rules: readonly RuleSpec[]
}

export interface RuleSpec {
  readonly subjects: readonly Subject[]
  readonly resources: readonly ResourceRule[]
  readonly paths: readonly PathRule[]
}

export type Subject =
  | { readonly kind: 'user'; readonly name: string }
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'account'; readonly namespace: string; readonly name: string }

export interface ResourceRule {
  readonly verbs: Words
  readonly groups: Words
  /** `pods`, `pods/status`. */
  readonly resources: Words
  readonly clusterScope: boolean
  readonly namespaces: Words
}

export interface PathRule {
  readonly verbs: Words
  /** Without an end that matches anything: `/healthz` is meant with all that is below it (P-207). */
  readonly roots: readonly string[] | 'all'
}

/** Any word, or one of these. */
export type Words = ReadonlySet<string> | 'all'

/** As many queues as a level may have here: each costs memory and a look at every dispatch. */
const MOST_QUEUES = 4096

export function levelSpecOf(object: ValueMap): LevelSpec {
  const spec = mapIn(object, 'spec')
  const isExempt = own(spec, 'type') === 'Exempt'
  const part = mapIn(spec, isExempt ? 'exempt' : 'limited')
  const borrowing = own(part, 'borrowingLimitPercent')
  return {
    ...identityOf(object),
    isExempt,
    shares: numberIn(part, 'nominalConcurrencyShares', isExempt ? 0 : 30),
    lendablePercent: numberIn(part, 'lendablePercent', 0),
    borrowingLimitPercent: typeof borrowing === 'number' ? borrowing : undefined,
    queuing: isExempt ? undefined : queuingOf(mapIn(part, 'limitResponse')),
  }
}

function queuingOf(response: ValueMap): Queuing | undefined {
  if (own(response, 'type') !== 'Queue') return undefined
  const queuing = mapIn(response, 'queuing')
  const queues = Math.min(Math.max(1, numberIn(queuing, 'queues', 64)), MOST_QUEUES)
  return {
    queues,
    handSize: Math.min(Math.max(1, numberIn(queuing, 'handSize', 8)), queues),
    queueLengthLimit: Math.max(1, numberIn(queuing, 'queueLengthLimit', 50)),
  }
}

export function schemaSpecOf(object: ValueMap): SchemaSpec {
  const spec = mapIn(object, 'spec')
  return {
    ...identityOf(object),
    level: textIn(mapIn(spec, 'priorityLevelConfiguration'), 'name'),
    precedence: numberIn(spec, 'matchingPrecedence', 1000),
    distinguisher: DISTINGUISHERS.get(textIn(mapIn(spec, 'distinguisherMethod'), 'type')) ?? 'none',
    rules: mapsIn(spec, 'rules').map(ruleOf),
  }
}

const DISTINGUISHERS: ReadonlyMap<string, SchemaSpec['distinguisher']> = new Map([
  ['ByUser', 'user'],
  ['ByNamespace', 'namespace'],
])

function identityOf(object: ValueMap): { readonly name: string; readonly uid: string } {
  const metadata = mapIn(object, 'metadata')
  return { name: textIn(metadata, 'name'), uid: textIn(metadata, 'uid') }
}

function ruleOf(rule: ValueMap): RuleSpec {
  return {
    subjects: mapsIn(rule, 'subjects').flatMap(subjectOf),
    resources: mapsIn(rule, 'resourceRules').map((each) => ({
      verbs: wordsIn(each, 'verbs'),
      groups: wordsIn(each, 'apiGroups'),
      resources: wordsIn(each, 'resources'),
      clusterScope: own(each, 'clusterScope') === true,
      namespaces: wordsIn(each, 'namespaces'),
    })),
    paths: mapsIn(rule, 'nonResourceRules').map((each) => ({
      verbs: wordsIn(each, 'verbs'),
      roots: rootsOf(textsIn(each, 'nonResourceURLs')),
    })),
  }
}

function subjectOf(subject: ValueMap): Subject[] {
  switch (own(subject, 'kind')) {
    case 'User':
      return [{ kind: 'user', name: textIn(mapIn(subject, 'user'), 'name') }]
    case 'Group':
      return [{ kind: 'group', name: textIn(mapIn(subject, 'group'), 'name') }]
    case 'ServiceAccount': {
      const account = mapIn(subject, 'serviceAccount')
      return [{ kind: 'account', namespace: textIn(account, 'namespace'), name: textIn(account, 'name') }]
    }
    default:
      return []
  }
}

function rootsOf(urls: readonly string[]): PathRule['roots'] {
  if (urls.includes('*')) return 'all'
  return urls.map((url) => url.replace(/\*$/, '').replace(/(.)\/$/, '$1'))
}

function wordsIn(map: ValueMap, name: string): Words {
  const words = textsIn(map, name)
  return words.includes('*') ? 'all' : new Set(words)
}

function mapIn(map: ValueMap, name: string): ValueMap {
  const value = own(map, name)
  return isMap(value) ? value : {}
}

function listIn(map: ValueMap, name: string): readonly Value[] {
  const value = own(map, name)
  return isList(value) ? value : []
}

function mapsIn(map: ValueMap, name: string): readonly ValueMap[] {
  return listIn(map, name).filter(isMap)
}

function textsIn(map: ValueMap, name: string): readonly string[] {
  return listIn(map, name).filter((value) => typeof value === 'string')
}

function textIn(map: ValueMap, name: string): string {
  const value = own(map, name)
  return typeof value === 'string' ? value : ''
}

function numberIn(map: ValueMap, name: string, fallback: number): number {
  const value = own(map, name)
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback
}
