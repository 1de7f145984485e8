// Converts the objects of the API for flow control. The API has validated them. A missing field still reads as its default, so that no
// object can stop the server.
import { isTrue, mapOrEmpty, mapsOnly, numberOrAbsent, numberOrZero, textOrEmpty, textsOnly } from '../api/members.ts'
import { own, type ValueMap } from '../api/value.ts'

export interface LevelSpec {
  readonly name: string
  readonly uid: string
  readonly isExempt: boolean
  readonly shares: number
  readonly lendablePercent: number
  /** Undefined: the level may borrow all seats that other levels lend. */
  readonly borrowingLimitPercent: number | undefined
  /** Undefined: a request that finds no seat is rejected. */
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
  /** Such as `pods` or `pods/status`. */
  readonly resources: Words
  readonly clusterScope: boolean
  readonly namespaces: Words
}

export interface PathRule {
  readonly verbs: Words
  /** The paths without a final `*` or `/`. Each stands for itself and all paths below it (P-207). */
  readonly roots: readonly string[] | 'all'
}

/** `all`: any word. Otherwise: one of these words. */
export type Words = ReadonlySet<string> | 'all'

/** The largest number of queues of a level: each costs memory, and time in every dispatch. */
const MOST_QUEUES = 4096

export function levelSpecOf(object: ValueMap): LevelSpec {
  const spec = mapOrEmpty(object, 'spec')
  const isExempt = own(spec, 'type') === 'Exempt'
  const part = mapOrEmpty(spec, isExempt ? 'exempt' : 'limited')
  return {
    ...identityOf(object),
    isExempt,
    shares: numberOrAbsent(part, 'nominalConcurrencyShares') ?? (isExempt ? 0 : 30),
    lendablePercent: numberOrZero(part, 'lendablePercent'),
    borrowingLimitPercent: numberOrAbsent(part, 'borrowingLimitPercent'),
    queuing: isExempt ? undefined : queuingOf(mapOrEmpty(part, 'limitResponse')),
  }
}

function queuingOf(response: ValueMap): Queuing | undefined {
  if (own(response, 'type') !== 'Queue') return undefined
  const queuing = mapOrEmpty(response, 'queuing')
  const queues = Math.min(Math.max(1, numberOrAbsent(queuing, 'queues') ?? 64), MOST_QUEUES)
  return {
    queues,
    handSize: Math.min(Math.max(1, numberOrAbsent(queuing, 'handSize') ?? 8), queues),
    queueLengthLimit: Math.max(1, numberOrAbsent(queuing, 'queueLengthLimit') ?? 50),
  }
}

export function schemaSpecOf(object: ValueMap): SchemaSpec {
  const spec = mapOrEmpty(object, 'spec')
  return {
    ...identityOf(object),
    level: textOrEmpty(mapOrEmpty(spec, 'priorityLevelConfiguration'), 'name'),
    precedence: numberOrAbsent(spec, 'matchingPrecedence') ?? 1000,
    distinguisher: DISTINGUISHERS.get(textOrEmpty(mapOrEmpty(spec, 'distinguisherMethod'), 'type')) ?? 'none',
    rules: mapsOnly(spec, 'rules').map(ruleOf),
  }
}

const DISTINGUISHERS: ReadonlyMap<string, SchemaSpec['distinguisher']> = new Map([
  ['ByUser', 'user'],
  ['ByNamespace', 'namespace'],
])

function identityOf(object: ValueMap): { readonly name: string; readonly uid: string } {
  const metadata = mapOrEmpty(object, 'metadata')
  return { name: textOrEmpty(metadata, 'name'), uid: textOrEmpty(metadata, 'uid') }
}

function ruleOf(rule: ValueMap): RuleSpec {
  return {
    subjects: mapsOnly(rule, 'subjects').flatMap(subjectOf),
    resources: mapsOnly(rule, 'resourceRules').map((each) => ({
      verbs: wordsIn(each, 'verbs'),
      groups: wordsIn(each, 'apiGroups'),
      resources: wordsIn(each, 'resources'),
      clusterScope: isTrue(each, 'clusterScope'),
      namespaces: wordsIn(each, 'namespaces'),
    })),
    paths: mapsOnly(rule, 'nonResourceRules').map((each) => ({
      verbs: wordsIn(each, 'verbs'),
      roots: rootsOf(textsOnly(each, 'nonResourceURLs')),
    })),
  }
}

function subjectOf(subject: ValueMap): Subject[] {
  switch (own(subject, 'kind')) {
    case 'User':
      return [{ kind: 'user', name: textOrEmpty(mapOrEmpty(subject, 'user'), 'name') }]
    case 'Group':
      return [{ kind: 'group', name: textOrEmpty(mapOrEmpty(subject, 'group'), 'name') }]
    case 'ServiceAccount': {
      const account = mapOrEmpty(subject, 'serviceAccount')
      return [{ kind: 'account', namespace: textOrEmpty(account, 'namespace'), name: textOrEmpty(account, 'name') }]
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
  const words = textsOnly(map, name)
  return words.includes('*') ? 'all' : new Set(words)
}
