// Which type may stand where another is wanted, and what the parameters of a signature stand for. Bindings are only ever
// narrowed to something more general, and never to a type that contains the parameter itself.
import { DYN, type Type } from './type.ts'

/** What parameters stand for, by name. Tried on a copy, which is kept where it fits. */
export class Substitution {
  readonly #bound: Map<string, Type>

  constructor(bound: ReadonlyMap<string, Type> = new Map()) {
    this.#bound = new Map(bound)
  }

  copy(): Substitution {
    return new Substitution(this.#bound)
  }

  find(name: string): Type | undefined {
    return this.#bound.get(name)
  }

  bind(name: string, type: Type): void {
    this.#bound.set(name, type)
  }

  /** The type with every parameter replaced; those that nothing is known of are dyn where `complete`. */
  apply(type: Type, complete: boolean): Type {
    switch (type.kind) {
      case 'parameter': {
        const bound = this.#bound.get(type.name)
        if (bound !== undefined) return this.apply(bound, complete)
        return complete ? DYN : type
      }
      case 'list':
        return { ...type, item: this.apply(type.item, complete) }
      case 'map':
        return { ...type, key: this.apply(type.key, complete), value: this.apply(type.value, complete) }
      case 'optional':
      case 'type':
        return { ...type, of: this.apply(type.of, complete) }
      default:
        return type
    }
  }
}

/** Whether each type may stand where its partner is wanted; the substitution with it, or undefined. */
export function assignAll(known: Substitution, pairs: readonly (readonly [Type, Type])[]): Substitution | undefined {
  const trial = known.copy()
  return pairs.every(([given, wanted]) => assignable(trial, given, wanted)) ? trial : undefined
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
  return sameMake(known, given, wanted)
}

function sameMake(known: Substitution, given: Type, wanted: Type): boolean {
  switch (given.kind) {
    case 'list':
      return wanted.kind === 'list' && assignable(known, given.item, wanted.item)
    case 'map':
      return (
        wanted.kind === 'map' &&
        assignable(known, given.key, wanted.key) &&
        assignable(known, given.value, wanted.value)
      )
    case 'optional':
      return wanted.kind === 'optional' && assignable(known, given.of, wanted.of)
    case 'object':
    case 'opaque':
      return given.kind === wanted.kind && given.name === wanted.name
    default:
      return given.kind === wanted.kind
  }
}

function isAny(type: Type): boolean {
  return type.kind === 'dyn' || type.kind === 'error'
}

function takesNull(type: Type): boolean {
  return ['null', 'object', 'opaque', 'optional', 'timestamp', 'duration'].includes(type.kind)
}

/** `fits`: the parameter may stand for the type. `taken`: it stands for something else. `no`: it would contain itself. */
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
  switch (type.kind) {
    case 'parameter': {
      if (type.name === name) return true
      const bound = known.find(type.name)
      return bound !== undefined && contains(known, bound, name)
    }
    case 'list':
      return contains(known, type.item, name)
    case 'map':
      return contains(known, type.key, name) || contains(known, type.value, name)
    case 'optional':
    case 'type':
      return contains(known, type.of, name)
    default:
      return false
  }
}

export function sameType(a: Type, b: Type): boolean {
  switch (a.kind) {
    case 'list':
      return b.kind === 'list' && sameType(a.item, b.item)
    case 'map':
      return b.kind === 'map' && sameType(a.key, b.key) && sameType(a.value, b.value)
    case 'optional':
    case 'type':
      return b.kind === a.kind && sameType(a.of, b.of)
    case 'object':
    case 'opaque':
    case 'parameter':
      return b.kind === a.kind && a.name === b.name
    default:
      return a.kind === b.kind
  }
}

/** Of two types that fit each other, the one that says less. */
export function moreGeneral(a: Type, b: Type): Type {
  return saysLess(a, b) ? a : b
}

function saysLess(a: Type, b: Type): boolean {
  if (isAny(a) || a.kind === 'parameter') return true
  if (isAny(b) || b.kind === 'parameter') return false
  switch (a.kind) {
    case 'list':
      return b.kind === 'list' && saysLess(a.item, b.item)
    case 'map':
      return b.kind === 'map' && saysLess(a.key, b.key) && saysLess(a.value, b.value)
    case 'optional':
    case 'type':
      return b.kind === a.kind && saysLess(a.of, b.of)
    default:
      return sameType(a, b)
  }
}
