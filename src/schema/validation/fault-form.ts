// How faults are told, as far as that depends on the level of the API.
import { type ApiLevel, DEFAULT_LEVEL } from '../../api/level.ts'

export interface FaultForm {
  /** The same fault is told once, however many rules find it. */
  readonly isOnce: boolean
  /** A reference to an owner is told with its place in the list, and what it lacks is required. */
  readonly placesOwners: boolean
}

export const FAULT_FORMS: Readonly<Record<ApiLevel, FaultForm>> = {
  '1.36': { isOnce: false, placesOwners: false },
  '1.37': { isOnce: true, placesOwners: true },
}

/** Where no form is given, that of the default level. */
export function formOf({ form }: { readonly form?: FaultForm }): FaultForm {
  return form ?? FAULT_FORMS[DEFAULT_LEVEL]
}
