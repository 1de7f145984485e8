// MutatingAdmissionPolicy: policies are applied one after the other (W-509 to W-512).
import { metaText } from '../../api/object-members.ts'
import type { ApiObject, GroupVersionResource } from '../../api/object.ts'
import { ApiError, type StatusReason } from '../../api/status.ts'
import { equalValues, type Value, type ValueMap } from '../../api/value.ts'
import { type Bindings, CelList, type CelValue, CelMap, NamedMap, toJson } from '../../cel/cel.ts'
import { DecodeError } from '../../schema/decode.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { forbidden } from '../refusal.ts'
import { type Reinvocation, reinvocationOf } from '../reinvocation.ts'
import type { Mutation, Policy } from './definition.ts'
import { BUDGET, Budget, evaluateAll, evaluateConditions, OutOfBudget } from './evaluation.ts'
import { candidates, type Denial, type Invocation, type InvocationParts, PolicyRequest } from './invocations.ts'
import type { BoundPolicy, Policies } from './policies.ts'

const NAME = 'MutatingAdmissionPolicy'

export interface Mutators {
  /** Throws where the patch does not fit; undefined where a `test` in it failed. */
  applyJsonPatch(document: Value, patch: Value): Value | undefined
  /** The object with what is applied merged into it. Throws `MutationError` where it does not fit the schema. */
  mergeConfiguration(resource: GroupVersionResource, object: ApiObject, applied: ValueMap): Value
}

/** A mutation does not fit the object. */
export class MutationError extends Error {}

export interface MutatingParts extends InvocationParts {
  readonly mutators: Mutators
}

export function mutatingPolicies(policies: Policies, parts: MutatingParts): AdmissionPlugin {
  return {
    name: NAME,
    mayRepeat: true,
    mutate(request, signal) {
      const asked = candidates(policies.inForce, request)
      return asked.length === 0 ? request.object : new MutatingPass(parts, request, signal).run(asked)
    },
  }
}

class MutatingPass {
  readonly #parts: MutatingParts
  readonly #asked: PolicyRequest
  readonly #memory: Reinvocation
  readonly #errors: Denial[] = []
  #request: AdmissionRequest

  constructor(parts: MutatingParts, request: AdmissionRequest, signal: AbortSignal) {
    this.#parts = parts
    this.#request = request
    this.#asked = new PolicyRequest(parts, request, signal)
    this.#memory = reinvocationOf(request, NAME)
  }

  async run(all: readonly BoundPolicy[]): Promise<ApiObject | undefined> {
    if (this.#isSecond) this.#memory.beginAgain(this.#request.object)
    for (const bound of all) {
      for (const invocation of await this.#asked.invocations(bound)) {
        if ('message' in invocation) this.#errors.push({ ...invocation, reason: 'Forbidden' })
        else for (const param of invocation.params) await this.#invoke(invocation, param)
      }
    }
    this.#memory.end(this.#request.object)
    const [first] = this.#errors
    if (first !== undefined) throw this.#refusal(first)
    return this.#request.object
  }

  get #isSecond(): boolean {
    return this.#request.walk?.isSecond === true
  }

  async #invoke(invocation: Invocation, param: ApiObject | undefined): Promise<void> {
    const { policy, binding } = invocation
    const bindings = await this.#asked.bindings(invocation, param, this.#request)
    const conditions = await this.#asked.authorizer.settle(() => evaluateConditions(policy, bindings))
    if (conditions.kind === 'error') {
      this.#errors.push({ policy, binding, message: conditions.message, reason: 'Invalid' })
    }
    if (conditions.kind !== 'match') return
    const key = [policy.name, binding.name, metaText(param ?? {}, 'namespace'), metaText(param ?? {}, 'name')].join('/')
    if (this.#isSecond && !this.#memory.isDue(key)) return
    const before = this.#request.object
    for (const mutation of policy.mutations) await this.#mutate(invocation, mutation, param)
    if (!equalValues(before, this.#request.object)) {
      this.#memory.changed()
      this.#request.walk?.repeat()
    }
    if (policy.reinvoked) this.#memory.called(key)
  }

  async #mutate(invocation: Invocation, mutation: Mutation, param: ApiObject | undefined): Promise<void> {
    if (this.#request.object === undefined) return
    const { policy, binding, as } = invocation
    const bindings = await this.#asked.bindings(invocation, param, this.#request)
    const began = performance.now()
    const made = await this.#asked.authorizer.settle(() => patchOf(policy, mutation, bindings))
    const outcome = made.kind === 'error' ? made : await this.#patched(invocation, mutation, made.patch)
    const message = outcome.kind === 'error' ? outcome.message : undefined
    const milliseconds = performance.now() - began
    this.#parts.measures.noteMutation({ policy: policy.name, binding: binding.name, message, milliseconds })
    if (outcome.kind === 'error') {
      if (!policy.failsOpen) this.#errors.push({ policy, binding, message: outcome.message, reason: 'Invalid' })
    } else if (outcome.read !== undefined) {
      const object = await as.adopt(outcome.read)
      if (!equalValues(object, this.#request.object)) this.#request = { ...this.#request, object }
    }
  }

  async #patched({ as }: Invocation, { kind }: Mutation, patch: Value): Promise<Patched> {
    const { object } = this.#request
    if (object === undefined) return { kind: 'object', read: undefined }
    const shown = await as.show(object)
    const { mutators } = this.#parts
    try {
      const document =
        kind === 'jsonPatch'
          ? mutators.applyJsonPatch(shown, patch)
          : mutators.mergeConfiguration(as.resource, shown, patch as ValueMap)
      return { kind: 'object', read: document === undefined ? undefined : as.read(document) }
    } catch (error) {
      // The failure policy applies to an invalid result.
      if (error instanceof DecodeError) return { kind: 'error', message: `Internal error occurred: ${error.message}` }
      if (!(error instanceof MutationError)) throw error
      const what = kind === 'jsonPatch' ? 'JSON Patch' : 'error applying patch'
      return { kind: 'error', message: `${what}: ${error.message}` }
    }
  }

  /** Always with code 403, whatever the reason is. */
  #refusal({ reason }: Denial): ApiError {
    const causes = this.#errors.map(({ policy, binding, message }) => ({
      message:
        binding === undefined
          ? `policy ${JSON.stringify(policy.name)} denied request: ${message}`
          : `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`,
    }))
    const { details } = forbidden(this.#request, '', causes)
    return new ApiError(reason as StatusReason, causes[0]?.message ?? '', {
      code: 403,
      ...(details === undefined ? {} : { details }),
    })
  }
}

interface Failed {
  readonly kind: 'error'
  readonly message: string
}

type Patched = Failed | { readonly kind: 'object'; readonly read: ApiObject | undefined }
type MadePatch = Failed | { readonly kind: 'patch'; readonly patch: Value }

function patchOf(policy: Policy, mutation: Mutation, bindings: Bindings): MadePatch {
  try {
    const [result] = evaluateAll([mutation], { policy, bindings }, new Budget(BUDGET))
    if (result?.kind !== 'value') return { kind: 'error', message: result?.message ?? '' }
    const problem = mutation.kind === 'jsonPatch' ? patchTypeProblem(result.value) : typeProblem(result.value, 'Object')
    if (problem !== undefined) return { kind: 'error', message: `type mismatch: ${problem}` }
    const patch = toJson(result.value)
    if (patch !== undefined) return { kind: 'patch', patch }
    const what = 'JSONPath valueExpression evaluated to a type that could not marshal to JSON'
    return { kind: 'error', message: what }
  } catch (error) {
    if (error instanceof OutOfBudget) return { kind: 'error', message: error.message }
    throw error
  }
}

/** The type name of an object has to be the path of its field. */
function typeProblem(value: CelValue, path: string): string | undefined {
  if (value instanceof CelList) {
    for (const item of value) {
      const problem = typeProblem(item, path)
      if (problem !== undefined) return problem
    }
    return undefined
  }
  if (!(value instanceof CelMap)) return undefined
  const named = value instanceof NamedMap && value.typeName.startsWith('Object')
  if (named && value.typeName !== path) {
    return `unexpected type name ${JSON.stringify(value.typeName)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`
  }
  if (!named) return undefined
  for (const key of value.keys()) {
    const problem = typeProblem(value.get(key) ?? null, `${path}.${typeof key === 'string' ? key : ''}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function patchTypeProblem(value: CelValue): string | undefined {
  if (!(value instanceof CelList)) return 'JSONPatchType.expression should evaluate to array'
  for (const operation of value) {
    const set = operation instanceof CelMap ? operation.get('value') : undefined
    const problem = set instanceof NamedMap ? typeProblem(set, set.typeName) : undefined
    if (problem !== undefined) return problem
  }
  return undefined
}
