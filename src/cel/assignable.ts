// Whether a type can be assigned to another, and the bindings of the type parameters of a signature. Only a more general type replaces a
// binding. A type that contains the parameter itself never replaces a binding.
import { DYN, partsOf, type Type, withParts } from './type.ts'

/** The types of type parameters, by name. An attempt that fails is undone. */
export class Substitution {
  readonly #bound = new Map<string, Type>()
  /** The earlier value of each binding that the attempt changed. */
  readonly #undo: (readonly [string, Type | undefined])[] = []

  /** Keeps the bindings of the attempt if it succeeds. */
  attempt(succeeds: () => boolean): boolean {
    this.#undo.length = 0
    if (succeeds()) return true
    for (const [name, before] of this.#undo.reverse()) {
      if (before === undefined) this.#bound.delete(name)
      else this.#bound.set(name, before)
    }
    return false
  }

  find(name: string): Type | undefined {
    return this.#bound.get(name)
  }

  bind(name: string, type: Type): void {
    this.#undo.push([name, this.#bound.get(name)])
    this.#bound.set(name, type)
  }

  /** Whether the type has more parts than this, with those of its parameters. */
  isLarger(type: Type, most: number): boolean {
    let parts = 0
    const visit = (part: Type): boolean => {
      if (++parts > most) return true
      if (part.kind !== 'parameter') return partsOf(part).some(visit)
      const bound = this.#bound.get(part.name)
      return bound !== undefined && visit(bound)
    }
    return visit(type)
  }

  /** Replaces every parameter of the type. If `complete`, unknown parameters become dyn. */
  apply(type: Type, complete: boolean): Type {
    if (type.kind !== 'parameter') return withParts(type, (part) => this.apply(part, complete))
    const bound = this.#bound.get(type.name)
    if (bound !== undefined) return this.apply(bound, complete)
    return complete ? DYN : type
  }
}

/** Whether the first type of each pair is assignable to the second. If so, the new bindings of type parameters are kept. */
export function assignAll(known: Substitution, pairs: readonly (readonly [Type, Type])[]): boolean {
  return known.attempt(() => pairs.every(([given, wanted]) => assignable(known, given, wanted)))
}

export function assignable(known: Substitution, given: Type, wanted: Type): boolean {
  if (wanted.kind === 'parameter') {
    const outcome = substitutes(known, given, wanted.name)
    if (outcome === 'fits') return true
    if (outcome === 'taken') return false
  }
  if (given.kind === 'parameter') return substitutes(known, wanted, given.name) === 'fits'
  if (isAny(given) || isAny(wanted)) return true
  if (given.kind === 'null') return takesNull(wanted)
  if (wanted.kind === 'null') return takesNull(given)
  if (!sameKind(given, wanted)) return false
  return given.kind === 'type' || everyPart(given, wanted, (part, other) => assignable(known, part, other))
}

/** Whether two types are the same, without regard to their parameters. */
function sameKind(a: Type, b: Type): boolean {
  return a.kind === b.kind && (!('name' in a) || !('name' in b) || a.name === b.name)
}

/** Whether `holds` is true for all parts of two types of one kind. */
function everyPart(a: Type, b: Type, holds: (part: Type, other: Type) => boolean): boolean {
  const others = partsOf(b)
  return partsOf(a).every((part, i) => holds(part, others[i] ?? DYN))
}

function isAny(type: Type): boolean {
  return type.kind === 'dyn' || type.kind === 'error'
}

function takesNull(type: Type): boolean {
  return ['null', 'object', 'opaque', 'optional', 'timestamp', 'duration'].includes(type.kind)
}

/**
 * `fits`: the parameter may stand for the type. `taken`: the parameter stands for another type. `no`: the parameter would contain itself.
 */
function substitutes(known: Substitution, type: Type, name: string): 'fits' | 'taken' | 'no' {
  if (type.kind === 'parameter' && type.name === name) return 'fits'
  const bound = known.find(name)
  if (bound !== undefined) {
    if (sameType(type, bound)) return 'fits'
    if (!assignable(known, type, bound)) return 'taken'
    const general = moreGeneral(type, bound)
    if (!contains(known, general, name)) known.bind(name, general)
    return 'fits'
  }
  if (contains(known, type, name)) return 'no'
  known.bind(name, type)
  return 'fits'
}

function contains(known: Substitution, type: Type, name: string): boolean {
  if (type.kind !== 'parameter') return partsOf(type).some((part) => contains(known, part, name))
  if (type.name === name) return true
  const bound = known.find(type.name)
  return bound !== undefined && contains(known, bound, name)
}

export function sameType(a: Type, b: Type): boolean {
  return sameKind(a, b) && everyPart(a, b, sameType)
}

/** The more general of two types that fit each other. */
export function moreGeneral(a: Type, b: Type): Type {
  return saysLess(a, b) ? a : b
}

function saysLess(a: Type, b: Type): boolean {
  if (isAny(a) || a.kind === 'parameter') return true
  if (isAny(b) || b.kind === 'parameter') return false
  return sameKind(a, b) && everyPart(a, b, saysLess)
}
