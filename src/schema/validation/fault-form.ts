// Differences in the form of faults between levels of the API.
import { type ApiLevel, DEFAULT_LEVEL } from '../../api/level.ts'

export interface FaultForm {
  /** Equal faults of several rules are reported once. */
  readonly isOnce: boolean
  /** Faults of an owner reference name its index in the list, and missing members are reported as required. */
  readonly placesOwners: boolean
  /** Faults of a choice name the members to choose from, and members are refused also if the choice is unknown. */
  readonly namesChoices: boolean
}

export const FAULT_FORMS: Readonly<Record<ApiLevel, FaultForm>> = {
  '1.36': { isOnce: false, placesOwners: false, namesChoices: false },
  '1.37': { isOnce: true, placesOwners: true, namesChoices: true },
}

/** The given form, or that of the default level. */
export function formOf({ form }: { readonly form?: FaultForm }): FaultForm {
  return form ?? FAULT_FORMS[DEFAULT_LEVEL]
}
