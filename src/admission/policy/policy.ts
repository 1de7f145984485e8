// The front door: policies that are written as expressions and decide about writes without anybody being called.
import type { ApiObject } from '../../api/object.ts'
import type { AdmissionPlugin } from '../admission.ts'
import type { InvocationParts } from './invocations.ts'
import { type MutatingParts, mutatingPolicies } from './mutating.ts'
import { Policies } from './policies.ts'
import { validatingPolicies } from './validating.ts'

export type { InvocationParts } from './invocations.ts'
export { PolicyMeasures } from './measures.ts'
export { MutationError, type Mutators, type MutatingParts } from './mutating.ts'
export type { ParamSource, ParamSources } from './params.ts'

/** One of the two kinds of policies, with their bindings. */
export interface ConfiguredPolicies {
  readonly plugin: AdmissionPlugin
  putPolicy(policy: ApiObject): void
  removePolicy(name: string): void
  putBinding(binding: ApiObject): void
  removeBinding(name: string): void
}

export function openValidatingPolicies(parts: InvocationParts): ConfiguredPolicies {
  const policies = new Policies()
  return configured(policies, validatingPolicies(policies, parts))
}

export function openMutatingPolicies(parts: MutatingParts): ConfiguredPolicies {
  const policies = new Policies()
  return configured(policies, mutatingPolicies(policies, parts))
}

function configured(policies: Policies, plugin: AdmissionPlugin): ConfiguredPolicies {
  return {
    plugin,
    putPolicy: (policy) => policies.putPolicy(policy),
    removePolicy: (name) => policies.removePolicy(name),
    putBinding: (binding) => policies.putBinding(binding),
    removeBinding: (name) => policies.removeBinding(name),
  }
}
