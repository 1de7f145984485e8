// Registers functions with the server. Each has an answering function and a description, which is data and may come from another process.
import { asMap } from '../api/members.ts'
import { labelSelectorOf } from '../api/selector-text.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { suggestion } from '../lib/closest-word.ts'
import { checkValue } from '../lib/known-options.ts'
import type { ReviewFunction } from '../outgoing/webhook-client.ts'
import { admissionAnswer, type Answer, authorizationAnswer, conversionAnswer, type Run } from './answers.ts'
import type {
  AdmissionOperation,
  AdmissionRule,
  AdmissionType,
  AuthorizeOptions,
  ConvertedResource,
  Extensible,
} from './extensions.ts'

export type Description =
  /** `webhook`: an entry of a webhook configuration, without its `clientConfig`. */
  | { readonly kind: 'admit'; readonly type: AdmissionType; readonly webhook: DescribedWebhook }
  | { readonly kind: 'convert'; readonly of: { readonly group: string; readonly kind: string } }
  | { readonly kind: 'authorize'; readonly authorizer: DescribedAuthorizer }

type DescribedWebhook = ValueMap & { readonly name: string }

interface DescribedAuthorizer {
  readonly name: string
  readonly onFailure: 'no-opinion' | 'deny'
  readonly timeoutMs: number
}

/** Adds functions to the server. Each method returns a function that removes it. */
export interface ExtensionPoints {
  admit(type: AdmissionType, webhook: DescribedWebhook, answer: ReviewFunction): () => void
  convert(of: { readonly group: string; readonly kind: string }, answer: ReviewFunction): () => void
  authorize(authorizer: DescribedAuthorizer, answer: ReviewFunction): () => void
}

/**
 * Returns a function that removes the registered one. Throws a `TypeError` for a malformed description: an extension can send any JSON from
 * its process, past the checks in that process. `file`: the name of an authorizer without a name of its own.
 */
export function register(
  points: ExtensionPoints,
  description: Description,
  answer: ReviewFunction,
  file = NO_NAME,
): () => void {
  switch (description.kind) {
    case 'admit':
      checkAdmission(description)
      return points.admit(description.type, description.webhook, answer)
    case 'convert':
      checkText(description.of, 'kind', 'conversion')
      checkText(description.of, 'group', 'conversion')
      return points.convert(description.of, answer)
    case 'authorize': {
      checkAuthorizer(description.authorizer)
      const { name } = description.authorizer
      return points.authorize({ ...description.authorizer, name: name === NO_NAME ? file : name }, answer)
    }
    default:
      throw new TypeError('a function is for admission, conversion or authorization')
  }
}

const NO_NAME = 'function'
const LONGEST_NAME = 253
const LONGEST_SECONDS = 30
const AUTHORIZER_SECONDS = 3
/** The members of a webhook with a fixed set of values. */
const CHOICES: Readonly<Record<string, readonly (string | undefined)[]>> = {
  failurePolicy: [undefined, 'Fail', 'Ignore'],
  matchPolicy: [undefined, 'Exact', 'Equivalent'],
  reinvocationPolicy: [undefined, 'Never', 'IfNeeded'],
  sideEffects: ['None', 'NoneOnDryRun', 'Some', 'Unknown'],
}

/** The members of a rule that are lists of texts. */
const LISTS = ['operations', 'apiGroups', 'apiVersions', 'resources'] as const
const SELECTORS = ['namespaceSelector', 'objectSelector'] as const
const WEBHOOK = ['name', 'rules', 'timeoutSeconds', 'admissionReviewVersions', 'matchConditions', ...SELECTORS] as const

function checkAdmission({ type, webhook }: Description & { readonly kind: 'admit' }): void {
  const problem = checkText(webhook, 'name', 'admission')
  const rules = own(webhook, 'rules')
  if (type !== 'mutating' && type !== 'validating') throw problem('its type is mutating or validating')
  if (!isList(rules) || !rules.every(isMap)) throw problem('say either its resource or its rules')
  checkMembers(webhook, [...WEBHOOK, ...Object.keys(CHOICES)], problem)
  for (const rule of rules) {
    checkMembers(rule, [...LISTS, 'scope'], problem)
    const wrong = LISTS.find((member) => !isTexts(own(rule, member)))
    if (wrong !== undefined) throw problem(`its ${wrong} must be a list of texts that is not empty`)
  }
  for (const [member, values] of Object.entries(CHOICES)) {
    if (!values.includes(own(webhook, member) as string))
      throw problem(`its ${member} must be one of ${values.join(' ').trim()}`)
  }
  for (const member of SELECTORS) {
    const selector = own(webhook, member) ?? {}
    if (labelSelectorOf(selector) === undefined) throw problem(`its ${member} is malformed`)
    checkMembers(selector as ValueMap, ['matchLabels', 'matchExpressions'], problem)
  }
  checkSeconds(own(webhook, 'timeoutSeconds'), problem)
}

function isTexts(value: Value | undefined): boolean {
  return isList(value) && value.length > 0 && value.every((item) => typeof item === 'string')
}

/** Throws for an unknown member. If a misspelt member were ignored, the function would be called for unexpected requests. */
function checkMembers(part: object, known: readonly string[], problem: (text: string) => TypeError): void {
  const odd = Object.keys(part).find((member) => !known.includes(member))
  if (odd !== undefined) throw problem(`there is no ${JSON.stringify(odd)}${suggestion(odd, known)}`)
}

function checkAuthorizer(authorizer: DescribedAuthorizer): void {
  const problem = checkText(authorizer, 'name', 'authorization')
  const { onFailure, timeoutMs } = authorizer
  if (!Object.values(ON_FAILURE).includes(onFailure)) throw problem('its failurePolicy is Deny or NoOpinion')
  checkSeconds(timeoutMs / 1000, problem)
}

/** Throws if the text is missing or too long. Returns a function that makes errors, whose messages begin with `what` and the text. */
function checkText(part: object, member: string, what: string): (text: string) => TypeError {
  const text = own(asMap(part as ValueMap), member)
  if (typeof text === 'string' && text !== '' && text.length <= LONGEST_NAME)
    return (problem) => new TypeError(`${what} function ${JSON.stringify(text)}: ${problem}`)
  throw new TypeError(`${what} function: its ${member} must have 1 to ${LONGEST_NAME} characters`)
}

function checkSeconds(seconds: Value | undefined, problem: (text: string) => TypeError): void {
  if (typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST_SECONDS) return
  throw problem(`its timeoutSeconds must be more than 0 and at most ${LONGEST_SECONDS}`)
}

/** The name of a function in the log. */
export function nameOf(description: Description): string {
  switch (description.kind) {
    case 'admit':
      return description.webhook.name
    case 'convert':
      return `${description.of.kind}.${description.of.group}`
    case 'authorize':
      return description.authorizer.name
  }
}

/** Passes a description of each added function to `add`, which returns a function to remove it. The server checks descriptions. */
export function extensible(add: (description: Description, answer: Answer) => () => void): Extensible {
  const added = (description: Description, answer: Answer): Disposable => {
    const remove = add(description, answer)
    return { [Symbol.dispose]: remove }
  }
  return {
    admit: (rule, run) => added(describeAdmission(rule), admissionAnswer(checked('admit', run))),
    convert: (of: ConvertedResource | { readonly group: string; readonly kind: string }, run?: Run) => {
      if (run !== undefined && 'kind' in of)
        return added({ kind: 'convert', of: named(of) }, conversionAnswer(checked('convert', run)))
      if (!('definition' in of))
        throw new TypeError('convert() takes a resource of defineResource(), or a kind and a function')
      const { group, names } = of.definition.spec
      return added({ kind: 'convert', of: named({ group, kind: names.kind }) }, conversionAnswer(of.convert.bind(of)))
    },
    authorize: (run, options = {}) =>
      added(
        { kind: 'authorize', authorizer: describeAuthorizer(options) },
        authorizationAnswer(checked('authorize', run)),
      ),
  }
}

function checked(subject: string, run: Run | undefined): Run {
  checkValue(subject, 'function', run, 'function')
  return run!
}

type AnyRule = AdmissionRule<unknown, AdmissionOperation, AdmissionType>

function describeAdmission(rule: AnyRule): Description {
  const { name, type = 'validating', resource, operations, rules, ...more } = rule
  if (resource !== undefined && resource.plural === undefined) {
    throw new TypeError(`admission function ${JSON.stringify(name)}: its resource has no plural`)
  }
  if (operations !== undefined && resource === undefined)
    throw new TypeError(
      `admission function ${JSON.stringify(name)}: its operations need a resource; its rules have their own`,
    )
  const ofResource = resource && {
    operations: operations ?? ['CREATE', 'UPDATE'],
    apiGroups: [resource.group],
    apiVersions: [resource.version],
    resources: [resource.plural],
  }
  const webhook = {
    name,
    sideEffects: 'None',
    timeoutSeconds: 10,
    ...more,
    rules: rules === undefined ? ofResource && [ofResource] : resource === undefined ? rules : undefined,
    admissionReviewVersions: ['v1'],
  }
  return { kind: 'admit', type, webhook: plain(webhook) as DescribedWebhook }
}

const ON_FAILURE = { Deny: 'deny', NoOpinion: 'no-opinion' } as const

function describeAuthorizer(options: AuthorizeOptions): DescribedAuthorizer {
  const { name = NO_NAME, failurePolicy = 'Deny', timeoutSeconds = AUTHORIZER_SECONDS } = options
  checkMembers(options, ['name', 'failurePolicy', 'timeoutSeconds'], (text) => new TypeError(`authorize: ${text}`))
  return { name, onFailure: ON_FAILURE[failurePolicy], timeoutMs: 1000 * timeoutSeconds }
}

function named({ group, kind }: { readonly group: string; readonly kind: string }): { group: string; kind: string } {
  return { group, kind }
}

/** The object without undefined members, as in a stored configuration. */
function plain(value: object): Value {
  return JSON.parse(JSON.stringify(value)) as Value
}
