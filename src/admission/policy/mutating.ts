// MutatingAdmissionPolicy: policies are applied one after the other (W-509 to W-512).
import { metaText } from '../../api/object-members.ts'
import type { ApiObject, GroupVersionResource } from '../../api/object.ts'
import { ApiError, type StatusReason } from '../../api/status.ts'
import { equalValues, type Value, type ValueMap } from '../../api/value.ts'
import { type Bindings, CelList, type CelValue, CelMap, NamedMap, toJson } from '../../cel/cel.ts'
import { firstFound } from '../../lib/first-found.ts'
import { DecodeError } from '../../schema/decode.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { forbidden } from '../refusal.ts'
import type { Steps } from '../request-authorizer.ts'
import { type Reinvocation, reinvocationOf } from '../reinvocation.ts'
import type { ServedKind } from '../webhook/webhook.ts'
import type { Mutation, Policy } from './definition.ts'
import { BUDGET, Budget, evaluateAll, evaluateConditions, OutOfBudget } from './evaluation.ts'
import { candidates, type Denial, type Invocation, type InvocationParts, PolicyRequest } from './invocations.ts'
import type { BoundPolicy, Policies } from './policies.ts'

const NAME = 'MutatingAdmissionPolicy'

export interface Mutators {
  /** Applies the patch. Undefined: a `test` in the patch failed. Throws if the patch does not fit. */
  applyJsonPatch(document: Value, patch: Value): Value | undefined
  /** The object with the applied fields merged into it. Throws a `MutationError` if they do not fit the schema. */
  mergeConfiguration(resource: GroupVersionResource, object: ApiObject, applied: ValueMap): Value
}

/** Thrown if a mutation does not fit the object. */
export class MutationError extends Error {}

export interface MutatingParts extends InvocationParts {
  readonly mutators: Mutators
}

export function mutatingPolicies(policies: Policies, parts: MutatingParts): AdmissionPlugin {
  return {
    name: NAME,
    mayRepeat: true,
    hasExtensions: () => policies.inForce.length > 0,
    mutate(request, signal) {
      const asked = candidates(policies, request)
      return asked.length === 0 ? undefined : new MutatingPass(parts, request, signal).run(asked)
    },
  }
}

class MutatingPass {
  readonly #parts: MutatingParts
  readonly #asked: PolicyRequest
  readonly #memory: Reinvocation
  readonly #errors: Denial[] = []
  #request: AdmissionRequest
  /** A mutation succeeded, even if it changed nothing. */
  #isMutated = false

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
    if (this.#isMutated) {
      this.#memory.changed()
      this.#request.walk?.repeat()
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
    for (const mutation of policy.mutations) await this.#mutate(invocation, mutation, param)
    if (policy.reinvoked) this.#memory.called(key)
  }

  async #mutate(invocation: Invocation, mutation: Mutation, param: ApiObject | undefined): Promise<void> {
    if (this.#request.object === undefined) return
    const { policy, binding, as } = invocation
    const bindings = await this.#asked.bindings(invocation, param, this.#request)
    const shown = await as.show(this.#request.object)
    const began = performance.now()
    let result: ApiObject | undefined
    let message: string | undefined
    try {
      const patch = await this.#asked.authorizer.settle(() => patchOf(policy, mutation, bindings))
      result = this.#patched(as, mutation, { shown, patch })
    } catch (error) {
      message = failureOf(error, mutation)
    }
    const milliseconds = performance.now() - began
    this.#parts.measures.noteMutation({ policy: policy.name, binding: binding.name, message, milliseconds })
    if (message === undefined) this.#isMutated = true
    if (message !== undefined && !policy.failsOpen) this.#errors.push({ policy, binding, message, reason: 'Invalid' })
    if (result === undefined) return
    const object = await as.adopt(result)
    if (!equalValues(object, this.#request.object)) this.#request = { ...this.#request, object }
  }

  /** Applies a patch. Undefined: a `test` of a JSON patch failed. */
  #patched(
    as: ServedKind,
    { kind }: Mutation,
    { shown, patch }: { readonly shown: ApiObject; readonly patch: Value },
  ): ApiObject | undefined {
    const { mutators } = this.#parts
    const document =
      kind === 'jsonPatch'
        ? mutators.applyJsonPatch(shown, patch)
        : mutators.mergeConfiguration(as.resource, shown, patch as ValueMap)
    return document === undefined ? undefined : as.read(document, true)
  }

  /** The code is 403 for every reason. */
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

/** Thrown if an expression fails, or has an invalid result. */
class EvaluationError extends Error {}

/** The message of an error to which the failure policy applies. Throws all other errors. */
function failureOf(error: unknown, { kind }: Mutation): string {
  if (error instanceof EvaluationError || error instanceof OutOfBudget) return error.message
  if (error instanceof DecodeError) return `Internal error occurred: ${error.message}`
  if (!(error instanceof MutationError)) throw error
  return `${kind === 'jsonPatch' ? 'JSON Patch' : 'error applying patch'}: ${error.message}`
}

/** Evaluates a mutation to its patch. Throws `EvaluationError` and `OutOfBudget`. */
function* patchOf(policy: Policy, mutation: Mutation, bindings: Bindings): Steps<Value> {
  const [result] = yield* evaluateAll([mutation], { policy, bindings }, new Budget(BUDGET))
  if (result?.kind !== 'value') throw new EvaluationError(result?.message ?? '')
  const problem = mutation.kind === 'jsonPatch' ? patchTypeProblem(result.value) : typeProblem(result.value, 'Object')
  if (problem !== undefined) throw new EvaluationError(`type mismatch: ${problem}`)
  const patch = toJson(result.value)
  if (patch !== undefined) return patch
  throw new EvaluationError('JSONPath valueExpression evaluated to a type that could not marshal to JSON')
}

/** The type name of each object must be the path of its field. Undefined: there is no problem. */
function typeProblem(value: CelValue, path: string): string | undefined {
  if (value instanceof CelList) return firstFound(value, (item) => typeProblem(item, path))
  if (!(value instanceof CelMap)) return undefined
  const named = value instanceof NamedMap && value.typeName.startsWith('Object')
  if (named && value.typeName !== path) {
    return `unexpected type name ${JSON.stringify(value.typeName)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`
  }
  if (!named) return undefined
  return firstFound(value.keys(), (key) =>
    typeProblem(value.get(key) ?? null, `${path}.${typeof key === 'string' ? key : ''}`),
  )
}

function patchTypeProblem(value: CelValue): string | undefined {
  if (!(value instanceof CelList)) return 'JSONPatchType.expression should evaluate to array'
  return firstFound(value, (operation) => {
    const set = operation instanceof CelMap ? operation.get('value') : undefined
    return set instanceof NamedMap ? typeProblem(set, set.typeName) : undefined
  })
}
