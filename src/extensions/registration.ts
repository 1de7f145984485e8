// Functions on their way to the server: a description, which is data and may come from another process, and who answers.
import type { Value, ValueMap } from '../api/value.ts'
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
  /** `webhook` is one as a configuration has it, without whom to call. */
  | { readonly kind: 'admit'; readonly type: AdmissionType; readonly webhook: DescribedWebhook }
  | { readonly kind: 'convert'; readonly of: { readonly group: string; readonly kind: string } }
  | { readonly kind: 'authorize'; readonly authorizer: DescribedAuthorizer }

type DescribedWebhook = ValueMap & { readonly name: string }

interface DescribedAuthorizer {
  readonly name: string
  readonly onFailure: 'no-opinion' | 'deny'
  readonly timeoutMs: number
}

/** Where the server takes functions. Each returns how to remove it. */
export interface ExtensionPoints {
  admit(type: AdmissionType, webhook: DescribedWebhook, answer: ReviewFunction): () => void
  convert(of: { readonly group: string; readonly kind: string }, answer: ReviewFunction): () => void
  authorize(authorizer: DescribedAuthorizer, answer: ReviewFunction): () => void
}

/** Returns how to remove it. */
export function register(points: ExtensionPoints, description: Description, answer: ReviewFunction): () => void {
  switch (description.kind) {
    case 'admit':
      return points.admit(description.type, description.webhook, answer)
    case 'convert':
      return points.convert(description.of, answer)
    case 'authorize':
      return points.authorize(description.authorizer, answer)
  }
}

/** For the log. */
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

/** What gives every function that is added to `add`, which returns how to remove it. Throws a `TypeError` for a rule that is none. */
export function extensible(add: (description: Description, answer: Answer) => () => void): Extensible {
  const added = (description: Description, answer: Answer): Disposable => {
    const remove = add(description, answer)
    return { [Symbol.dispose]: remove }
  }
  return {
    admit: (rule, run) => added(describeAdmission(rule), admissionAnswer(run)),
    convert: (of: ConvertedResource | { readonly group: string; readonly kind: string }, run?: Run) => {
      if (run !== undefined && 'kind' in of) return added({ kind: 'convert', of: named(of) }, conversionAnswer(run))
      if (!('definition' in of))
        throw new TypeError('convert() takes a resource of defineResource(), or a kind and a function')
      const { group, names } = of.definition.spec
      return added({ kind: 'convert', of: named({ group, kind: names.kind }) }, conversionAnswer(of.convert.bind(of)))
    },
    authorize: (run, options = {}) =>
      added({ kind: 'authorize', authorizer: describeAuthorizer(options) }, authorizationAnswer(run)),
  }
}

type AnyRule = AdmissionRule<unknown, AdmissionOperation, AdmissionType>

const LONGEST_SECONDS = 30
const AUTHORIZER_SECONDS = 3

function describeAdmission(rule: AnyRule): Description {
  const { name, type = 'validating', resource, operations, rules, ...more } = rule
  const problem = (what: string): TypeError => new TypeError(`admission function ${JSON.stringify(name)}: ${what}`)
  if (typeof name !== 'string' || name === '') throw new TypeError('an admission function needs a name')
  if (type !== 'mutating' && type !== 'validating') throw problem('its type is mutating or validating')
  if ((resource === undefined) === (rules === undefined)) throw problem('say either its resource or its rules')
  if (resource !== undefined && resource.plural === undefined) throw problem('its resource has no plural')
  const webhook = {
    name,
    sideEffects: 'None',
    timeoutSeconds: 10,
    ...more,
    rules: rules ?? [
      {
        operations: operations ?? ['CREATE', 'UPDATE'],
        apiGroups: [resource?.group],
        apiVersions: [resource?.version],
        resources: [resource?.plural],
      },
    ],
    admissionReviewVersions: ['v1'],
  }
  checkSeconds(webhook.timeoutSeconds, problem)
  return { kind: 'admit', type, webhook: plain(webhook) as ValueMap & { name: string } }
}

function describeAuthorizer({
  name = 'function',
  failurePolicy = 'Deny',
  timeoutSeconds,
}: AuthorizeOptions): DescribedAuthorizer {
  const seconds = timeoutSeconds ?? AUTHORIZER_SECONDS
  checkSeconds(seconds, (what) => new TypeError(`authorization function ${JSON.stringify(name)}: ${what}`))
  return { name, onFailure: failurePolicy === 'Deny' ? 'deny' : 'no-opinion', timeoutMs: 1000 * seconds }
}

function checkSeconds(seconds: number, problem: (what: string) => TypeError): void {
  if (seconds > 0 && seconds <= LONGEST_SECONDS) return
  throw problem(`its timeoutSeconds are more than 0 and at most ${LONGEST_SECONDS}`)
}

function named({ group, kind }: { readonly group: string; readonly kind: string }): { group: string; kind: string } {
  return { group, kind }
}

/** As a configuration that is stored has it: without what is undefined. */
function plain(value: object): Value {
  return JSON.parse(JSON.stringify(value)) as Value
}
