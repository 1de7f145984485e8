// The front door of admission policies, which are written in CEL.
import type { AdmissionPlugin } from '../admission.ts'
import type { InvocationParts } from './invocations.ts'
import { type MutatingParts, mutatingPolicies } from './mutating.ts'
import { Policies } from './policies.ts'
import { validatingPolicies } from './validating.ts'

export type { InvocationParts } from './invocations.ts'
export { PolicyMeasures } from './measures.ts'
export { MutationError, type Mutators, type MutatingParts } from './mutating.ts'
export type { Policies } from './policies.ts'
export type { ParamSource, ParamSources } from './params.ts'

/** The policies of one type, and the plugin that evaluates them. */
export interface ConfiguredPolicies {
  readonly policies: Policies
  readonly plugin: AdmissionPlugin
}

export function openValidatingPolicies(parts: InvocationParts): ConfiguredPolicies {
  const policies = new Policies()
  return { policies, plugin: validatingPolicies(policies, parts) }
}

export function openMutatingPolicies(parts: MutatingParts): ConfiguredPolicies {
  const policies = new Policies()
  return { policies, plugin: mutatingPolicies(policies, parts) }
}
