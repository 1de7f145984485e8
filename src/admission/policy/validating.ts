// ValidatingAdmissionPolicy: all policies are evaluated, and the first denial is returned (W-501 to W-504).
import { ApiError, type StatusReason } from '../../api/status.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Bindings } from '../../cel/cel.ts'
import { addToSet } from '../../lib/map-entries.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { forbidden } from '../refusal.ts'
import type { Steps } from '../request-authorizer.ts'
import type { Policy, Validation } from './definition.ts'
import { BUDGET, Budget, evaluateAll, evaluateConditions, OutOfBudget, type Result } from './evaluation.ts'
import { candidates, type Denial, type Invocation, type InvocationParts, PolicyRequest } from './invocations.ts'
import type { EnforcementAction, PolicyMeasures } from './measures.ts'
import type { BoundPolicy, Policies } from './policies.ts'

const NAME = 'ValidatingAdmissionPolicy'
const MAX_MESSAGE_BYTES = 5 * 1024
const MAX_ANNOTATION = 10 * 1024
const FAILURE_NOTE = 'validation.policy.admission.k8s.io/validation_failure'
/** Level 1.36 of the reference has only the first failure in the audit event, so that the others are lost. */
const MAX_NOTED_FAILURES = 50

export function validatingPolicies(policies: Policies, parts: InvocationParts): AdmissionPlugin {
  return {
    name: NAME,
    hasExtensions: () => policies.inForce.length > 0,
    validate(request, signal) {
      const asked = candidates(policies, request)
      return asked.length === 0 ? undefined : new ValidatingPass(parts, request, signal).run(asked)
    },
  }
}

/** A violation or an evaluation error. */
interface Failure {
  readonly message: string
  readonly reason: string
  readonly index: number
  readonly milliseconds: number
  /** `failurePolicy: Ignore`: the failure is only counted. */
  readonly isIgnored?: true
}

interface Findings {
  readonly failures: readonly Failure[]
  readonly annotations: readonly { readonly key: string; readonly value: string }[]
  /** Errors of audit annotations that deny the request. */
  readonly annotationErrors: readonly { readonly message: string; readonly milliseconds: number }[]
}

class ValidatingPass {
  readonly #measures: PolicyMeasures
  readonly #request: AdmissionRequest
  readonly #asked: PolicyRequest
  readonly #denials: Denial[] = []
  /** The failures for the audit event. */
  readonly #noted: ValueMap[] = []

  constructor(parts: InvocationParts, request: AdmissionRequest, signal: AbortSignal) {
    this.#measures = parts.measures
    this.#request = request
    this.#asked = new PolicyRequest(parts, request, signal)
  }

  async run(all: readonly BoundPolicy[]): Promise<void> {
    for (const bound of all) {
      const values = new Map<string, Set<string>>()
      for (const invocation of await this.#asked.invocations(bound)) {
        if ('message' in invocation) this.#denials.push({ ...invocation, reason: 'Invalid' })
        else await this.#evaluate(invocation, values)
      }
      for (const [key, found] of values) this.#request.annotate(`${bound.policy.name}/${key}`, [...found].join(', '))
    }
    if (this.#noted.length > 0) this.#request.annotate(FAILURE_NOTE, JSON.stringify(this.#noted))
    const [first] = this.#denials
    if (first !== undefined) throw this.#refusal(first)
  }

  async #evaluate(invocation: Invocation, values: Map<string, Set<string>>): Promise<void> {
    const { policy, binding, params } = invocation
    for (const param of params) {
      const bindings = await this.#asked.bindings(invocation, param)
      const findings = await this.#asked.authorizer.settle(() => findingsOf(policy, bindings))
      for (const failure of findings.failures) this.#act(invocation, failure)
      for (const { key, value } of findings.annotations) addToSet(values, key, value)
      for (const { message, milliseconds } of findings.annotationErrors) {
        this.#denials.push({ policy, binding, message, reason: 'Invalid' })
        this.#note(invocation, { message, milliseconds }, 'deny')
      }
    }
  }

  #note(invocation: Invocation, found: Pick<Failure, 'message' | 'milliseconds'>, action: EnforcementAction): void {
    const { policy, binding } = invocation
    this.#measures.noteCheck({ ...found, policy: policy.name, binding: binding.name }, action)
  }

  #act(invocation: Invocation, failure: Failure): void {
    const { policy, binding } = invocation
    const { message, reason, index } = failure
    if (failure.isIgnored === true) {
      this.#note(invocation, failure, 'allow')
      return
    }
    for (const action of binding.actions) {
      const taken = ACTIONS[action]
      if (taken !== undefined) this.#note(invocation, failure, taken)
      if (action === 'Deny') this.#denials.push({ policy, binding, message, reason })
      else if (action === 'Warn') {
        const who = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`
        this.#request.warn(`Validation failed for ${who}: ${message}`)
      } else if (action === 'Audit' && this.#noted.length < MAX_NOTED_FAILURES) {
        const where = { policy: policy.name, binding: binding.name, expressionIndex: index }
        this.#noted.push({ message, ...where, validationActions: binding.actions })
      }
    }
  }

  #refusal({ policy, binding, message, reason }: Denial): ApiError {
    const bound = binding === undefined ? '' : ` with binding '${binding.name}'`
    const why = `ValidatingAdmissionPolicy '${policy.name}'${bound} denied request: ${message}`
    const { message: text, details } = forbidden(this.#request, why, [{ message: why }])
    return new ApiError(reason as StatusReason, text, details === undefined ? {} : { details })
  }
}

const ACTIONS: Readonly<Record<string, EnforcementAction>> = { Deny: 'deny', Warn: 'warn', Audit: 'audit' }

const NOTHING: Findings = Object.freeze({ failures: [], annotations: [], annotationErrors: [] })

function* findingsOf(policy: Policy, bindings: Bindings): Steps<Findings> {
  const ignored = policy.failsOpen ? ({ isIgnored: true } as const) : {}
  const failed = (message: string, { index = 0, milliseconds = 0 } = {}): Failure[] => [
    { message, reason: 'Invalid', index, milliseconds, ...ignored },
  ]
  const conditions = yield* evaluateConditions(policy, bindings)
  if (conditions.kind === 'noMatch') return NOTHING
  if (conditions.kind === 'error') return { ...NOTHING, failures: failed(conditions.message) }
  try {
    const budget = new Budget(BUDGET)
    const subject = { policy, bindings }
    const results = yield* evaluateAll(policy.validations, subject, budget)
    const isFailed = (i: number): boolean => results[i]?.kind === 'value' && results[i].value !== true
    const wanted = policy.validations.map(({ messageExpression }, i) => (isFailed(i) ? messageExpression : undefined))
    const messages = yield* evaluateAll(wanted, subject, budget)
    const failures = policy.validations.flatMap((validation, i): Failure[] => {
      const result = results[i]
      const milliseconds = result?.milliseconds ?? 0
      if (result?.kind === 'error') return failed(result.message, { index: i, milliseconds })
      if (!isFailed(i)) return []
      const message = messageOf(validation, messages[i])
      return [{ message, reason: validation.reason, index: i, milliseconds }]
    })
    return { failures, ...(yield* annotationsOf(policy, bindings)) }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error
    return { ...NOTHING, failures: failed(error.message) }
  }
}

/** The result of the message expression if it is usable, else the message, else the text of the expression (W-502). */
function messageOf({ text, message }: Validation, made: Result | undefined): string {
  const evaluated = made?.kind === 'value' && typeof made.value === 'string' ? made.value.trim() : ''
  const usable = !evaluated.includes('\n') && Buffer.byteLength(evaluated) <= MAX_MESSAGE_BYTES
  return (usable ? evaluated : '') || message || `failed expression: ${text.trim()}`
}

function* annotationsOf(policy: Policy, bindings: Bindings): Steps<Pick<Findings, 'annotations' | 'annotationErrors'>> {
  const results = yield* evaluateAll(policy.annotations, { policy, bindings }, new Budget(BUDGET))
  const annotations: { key: string; value: string }[] = []
  const annotationErrors: Findings['annotationErrors'][number][] = []
  policy.annotations.forEach(({ key, text }, i) => {
    const result = results[i]
    const milliseconds = result?.milliseconds ?? 0
    if (result?.kind === 'error') {
      if (!policy.failsOpen) annotationErrors.push({ message: result.message, milliseconds })
    } else if (typeof result?.value === 'string') {
      const value = result.value.trim().slice(0, MAX_ANNOTATION)
      if (value !== '') annotations.push({ key, value })
    } else if (result !== undefined && result.value !== null && !policy.failsOpen) {
      const message = `valueExpression '${text}' resulted in unsupported return type. Return type must be either string or null.`
      annotationErrors.push({ message, milliseconds })
    }
  })
  return { annotations, annotationErrors }
}
