// The stored admission policies, followed by informers.
import {
  type InvocationParts,
  MutationError,
  type Mutators,
  openMutatingPolicies,
  openValidatingPolicies,
  type ParamSource,
  type ParamSources,
  type Policies,
} from '../admission/policy/policy.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import type { ApiObject } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { formatPath } from '../patch/field-set.ts'
import { atomicPartsOf } from '../patch/atomic-parts.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import { merge } from '../patch/typed-merge.ts'
import { findTypeProblems } from '../patch/typed-validate.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import { resourceOfKind } from '../registry/served-resource.ts'
import {
  type ConfigurationParts,
  type ConfiguredPlugins,
  followConfigurations,
  type FollowedConfigurations,
} from '../controllers/admission-configurations.ts'
import { type ManifestParts, openManifests } from './admission-manifests.ts'

export interface AdmissionPolicyParts extends Omit<InvocationParts, 'params'>, ConfigurationParts {
  /** Reads the stored objects of a resource. */
  readonly read: (resource: Resource) => ObjectReader
  readonly manifests: ManifestParts
}

export function openAdmissionPolicies(parts: AdmissionPolicyParts): ConfiguredPlugins {
  const shared = { ...parts, params: paramSources(parts) }
  const validating = openValidatingPolicies(shared)
  const mutating = openMutatingPolicies({ ...shared, mutators: policyMutators(parts.resources) })
  const followed = [
    ...ofKind('mutatingadmissionpolicies', 'mutatingadmissionpolicybindings', mutating.policies),
    ...ofKind('validatingadmissionpolicies', 'validatingadmissionpolicybindings', validating.policies),
  ]
  const folders = [
    openManifests(parts.manifests, {
      plugin: 'MutatingAdmissionPolicy',
      resource: 'mutatingadmissionpolicies',
      bindings: 'mutatingadmissionpolicybindings',
      policies: mutating.policies,
    }),
    openManifests(parts.manifests, {
      plugin: 'ValidatingAdmissionPolicy',
      resource: 'validatingadmissionpolicies',
      bindings: 'validatingadmissionpolicybindings',
      policies: validating.policies,
    }),
  ]
  return { plugins: [mutating.plugin, validating.plugin], ...followConfigurations(parts, followed, folders) }
}

function ofKind(policies: string, bindings: string, to: Policies): readonly FollowedConfigurations[] {
  return [
    { resource: policies, put: (object) => to.putPolicy(object), remove: (name) => to.removePolicy(name) },
    { resource: bindings, put: (object) => to.putBinding(object), remove: (name) => to.removeBinding(name) },
  ]
}

/** Objects of any served kind may be parameters, custom kinds included. */
function paramSources({ resources, read }: AdmissionPolicyParts): ParamSources {
  return (kind) => {
    const resource = resourceOfKind(resources(), kind)
    return resource && paramSource(resource, read(resource))
  }
}

function paramSource({ namespaced, conversion }: Resource, stored: ObjectReader): ParamSource {
  const shown = (object: ApiObject | undefined): ApiObject | undefined =>
    object === undefined ? undefined : conversion.fromStored(object)
  return {
    namespaced,
    find: async (namespace, name, signal) => shown(await stored.find(namespace, name, signal)),
    findLatest: async (namespace, name, signal) => shown(await stored.findLatest(namespace, name, signal)),
    list: async (namespace, signal) =>
      (await stored.list(namespace, signal)).map((object) => conversion.fromStored(object)),
  }
}

/** The functions by which policies change objects. They are in the folder `patch`. */
export function policyMutators(resources: () => ResourceTable): Mutators {
  return {
    applyJsonPatch(document, patch) {
      try {
        return applyJsonPatch(document, patch)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const why = error.cause instanceof Error ? error.cause.message : error.message
        if (why.endsWith('test failed')) return undefined
        throw new MutationError(why)
      }
    },
    mergeConfiguration(resource, object, applied) {
      const shape = resources().find(resource)?.schema.shape
      if (shape === undefined) throw notYetServed(object)
      const typed = { ...applied, kind: object.kind, apiVersion: object.apiVersion }
      const [problem] = findTypeProblems(shape, typed)
      if (problem !== undefined) {
        throw new MutationError(`failed to convert patch object to typed object: ${problem}`)
      }
      const atomic = atomicPartsOf(shape, typed).map(formatPath)
      if (atomic.length > 0) {
        const what = 'may not mutate atomic arrays, maps or structs'
        throw new MutationError(`invalid ApplyConfiguration: ${what}: ${atomic.join(', ')}`)
      }
      return merge(shape, object, typed) ?? object
    },
  }
}

/** W-512 */
function notYetServed({ apiVersion, kind }: ApiObject): ApiError {
  const delay = 'There can be a delay between when CustomResourceDefinitions are created and when they are available.'
  return new ApiError('ServiceUnavailable', `Resource kind ${apiVersion}, Kind=${kind} not found. ${delay}`)
}
