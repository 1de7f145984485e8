// Metrics of the decisions of policies and the duration of their expressions, by policy and binding.
import { counter, histogram, Measures } from '../../lib/measure.ts'

const BOUNDS: readonly number[] = [5e-7, 0.001, 0.01, 0.1, 1]
const MUTATION: readonly string[] = ['policy', 'policy_binding', 'error_type']
const CHECK: readonly string[] = [...MUTATION, 'enforcement_action']
const VALIDATING = 'apiserver_validating_admission_policy_check'
const MUTATING = 'apiserver_mutating_admission_policy_check'

export type EnforcementAction = 'allow' | 'deny' | 'warn' | 'audit'

export interface PolicyCheck {
  readonly policy: string
  readonly binding: string
  /** The violation or error. Undefined: none. */
  readonly message?: string | undefined
  readonly milliseconds: number
}

export class PolicyMeasures extends Measures {
  readonly checks = counter(
    `${VALIDATING}_total`,
    'Failed checks of validating admission policies, by enforcement action.',
    CHECK,
  )
  readonly checkSeconds = histogram(
    `${VALIDATING}_duration_seconds`,
    'Latency of failed checks of validating admission policies in seconds.',
    { labels: CHECK, bounds: BOUNDS },
  )
  readonly mutations = counter(`${MUTATING}_total`, 'Evaluations of mutating admission policies.', MUTATION)
  readonly mutationSeconds = histogram(
    `${MUTATING}_duration_seconds`,
    'Latency of mutating admission policies in seconds.',
    { labels: MUTATION, bounds: BOUNDS },
  )

  noteCheck({ policy, binding, message, milliseconds }: PolicyCheck, action: EnforcementAction): void {
    const labels = [policy, binding, errorType(message), action]
    this.checks.of(...labels).value++
    this.checkSeconds.of(...labels).observe(milliseconds / 1000)
  }

  noteMutation({ policy, binding, message, milliseconds }: PolicyCheck): void {
    const labels = [policy, binding, errorType(message)]
    this.mutations.of(...labels).value++
    this.mutationSeconds.of(...labels).observe(milliseconds / 1000)
  }
}

function errorType(message: string | undefined): string {
  if (message === undefined) return 'no_error'
  if (message.startsWith('compilation')) return 'compile_error'
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error'
}
