// Policies in front of the built-in kinds, with parameters and an authorizer as a test says they are.
import type { AdmissionPlugin, AdmissionRequest } from '../../../../src/admission/admission.ts'
import { admitInOrder } from '../../../../src/admission/chain.ts'
import {
  openMutatingPolicies,
  openValidatingPolicies,
  PolicyMeasures,
} from '../../../../src/admission/policy/policy.ts'
import type { ApiObject } from '../../../../src/api/object.ts'
import { ApiError } from '../../../../src/api/status.ts'
import type { Access, Authorizer, Decision } from '../../../../src/auth/authorizer.ts'
import { policyMutators } from '../../../../src/server/admission-policies.ts'
import { servedKinds } from '../../../../src/registry/served-kinds.ts'
import { openWorld } from '../../../rigs/api-world.ts'
import { knownObjects } from '../known-objects.ts'
import { requestFor } from '../request-for.ts'

const { resources } = await openWorld()
const signal = new AbortController().signal

export const CONFIG_MAPS = {
  resourceRules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
}

export function configMap(name: string, more: object = {}): object {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'ns' }, ...more }
}

export class PolicyWorld {
  readonly warnings: string[] = []
  readonly annotations: Record<string, string> = {}
  readonly asked: Access[] = []
  readonly measures = new PolicyMeasures()
  /** Plugins that run before the policies. */
  readonly before: AdmissionPlugin[] = []
  params: readonly object[] = []
  namespaceLabels: Record<string, string> = {}
  decide: (access: Access) => Decision | Promise<Decision> = () => ({ kind: 'no-opinion' })
  readonly #validating
  readonly #mutating

  constructor() {
    const authorizer: Authorizer = {
      authorize: (access) => {
        this.asked.push(access)
        return this.decide(access)
      },
    }
    const parts = {
      servedKinds: servedKinds(
        () => resources,
        () => ({ gates: new Set<string>(), now: () => '2030-01-01T00:00:00Z' }),
      ),
      namespaces: {
        ...knownObjects(),
        find: (_none: string, name: string) => Promise.resolve(this.#namespace(name)),
      },
      params: ({ kind }: { readonly kind: string }) =>
        kind === 'ConfigMap' ? { namespaced: true, ...knownObjects(...this.params) } : undefined,
      authorizer,
      measures: this.measures,
    }
    this.#validating = openValidatingPolicies(parts)
    this.#mutating = openMutatingPolicies({ ...parts, mutators: policyMutators(() => resources) })
  }

  #namespace(name: string): ApiObject | undefined {
    const metadata = { name, labels: this.namespaceLabels }
    return name === 'gone' ? undefined : { kind: 'Namespace', apiVersion: 'v1', metadata, status: { phase: 'Active' } }
  }

  validating(name: string, spec: object, binding: object = {}): void {
    const all = { failurePolicy: 'Fail', matchConstraints: CONFIG_MAPS, ...spec }
    this.#validating.policies.putPolicy(stored(name, all))
    this.#validating.policies.putBinding(stored(name, { policyName: name, validationActions: ['Deny'], ...binding }))
  }

  mutating(name: string, spec: object, binding: object = {}): void {
    const all = { failurePolicy: 'Fail', reinvocationPolicy: 'Never', matchConstraints: CONFIG_MAPS, ...spec }
    this.#mutating.policies.putPolicy(stored(name, all))
    this.#mutating.policies.putBinding(stored(name, { policyName: name, ...binding }))
  }

  unbind(name: string): void {
    this.#validating.policies.removeBinding(name)
    this.#mutating.policies.removeBinding(name)
  }

  #request(object: object | undefined, more: Partial<AdmissionRequest>): AdmissionRequest {
    const kind = { group: '', version: 'v1', kind: 'ConfigMap' }
    return requestFor('configmaps', object, {
      kind,
      requestKind: kind,
      warn: (text) => void this.warnings.push(text),
      annotate: (key, value) => {
        this.annotations[key] ??= value
      },
      // The very object: tests look whether it comes back.
      object: object as ApiObject | undefined,
      ...more,
    })
  }

  async validate(object: object | undefined, more: Partial<AdmissionRequest> = {}): Promise<ApiError | undefined> {
    try {
      await admitInOrder([this.#validating.plugin]).validate(this.#request(object, more), signal)
      return undefined
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }

  async mutate(object: object | undefined, more: Partial<AdmissionRequest> = {}): Promise<ApiObject | undefined> {
    const request = this.#request(object, more)
    return (await admitInOrder([...this.before, this.#mutating.plugin]).mutate(request, signal)) ?? request.object
  }

  /** Whether a request is let through without waiting for anything. */
  get passesAtOnce(): boolean {
    const under = this.#validating.plugin.validate!(this.#request(configMap('m'), {}), signal)
    under?.catch(() => {})
    return under === undefined
  }
}

function stored(name: string, spec: object): ApiObject {
  return { kind: '', apiVersion: '', metadata: { name }, spec } as unknown as ApiObject
}
