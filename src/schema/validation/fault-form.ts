// Differences in the form of faults between levels of the API.
import { type ApiLevel, DEFAULT_LEVEL } from '../../api/level.ts'

export interface FaultForm {
  /** Equal faults of several rules are reported once. */
  readonly isOnce: boolean
  /** Faults of an owner reference name its index in the list, and missing members are reported as required. */
  readonly placesOwners: boolean
}

export const FAULT_FORMS: Readonly<Record<ApiLevel, FaultForm>> = {
  '1.36': { isOnce: false, placesOwners: false },
  '1.37': { isOnce: true, placesOwners: true },
}

/** The given form, or that of the default level. */
export function formOf({ form }: { readonly form?: FaultForm }): FaultForm {
  return form ?? FAULT_FORMS[DEFAULT_LEVEL]
}
