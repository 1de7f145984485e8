// Differences between levels of the API in the faults of parts that many kinds share, or that are deep in a kind.
import { type ApiLevel, DEFAULT_LEVEL } from '../../api/level.ts'

export interface FaultForm {
  /** Equal faults of several rules are reported once. */
  readonly isOnce: boolean
  /** Faults of an owner reference name its index in the list, and missing members are reported as required. */
  readonly placesOwners: boolean
  /** The missing type or status of a condition is reported as required. A repeated type is reported at the condition. */
  readonly requiresConditionParts: boolean
  /** The fault of a union names the members to choose from. Members are refused even if the type of the union is unknown. */
  readonly namesChoices: boolean
  /** A shared process namespace is refused at the spec of a pod, and not at its security context. */
  readonly placesSharing: boolean
  /** The metadata of a scale is checked. */
  readonly checksScaleMeta: boolean
  /** The target of a binding must have the name of a node. */
  readonly namesNodes: boolean
  /** Image volumes of pod templates need a reference. A changed pod spec may have some faults that the stored one has. */
  readonly keepsPodFaults: boolean
  /**
   * Ranges of capacities need a positive step and bounds of 64 bits. Capacities of stored devices are not checked again. Tolerations of
   * allocated devices are checked.
   */
  readonly checksDevices: boolean
}

export const FAULT_FORMS: Readonly<Record<ApiLevel, FaultForm>> = {
  '1.36': {
    isOnce: false,
    placesOwners: false,
    requiresConditionParts: false,
    namesChoices: false,
    placesSharing: false,
    checksScaleMeta: true,
    namesNodes: false,
    keepsPodFaults: false,
    checksDevices: false,
  },
  '1.37': {
    isOnce: true,
    placesOwners: true,
    requiresConditionParts: true,
    namesChoices: true,
    placesSharing: true,
    checksScaleMeta: false,
    namesNodes: true,
    keepsPodFaults: true,
    checksDevices: true,
  },
}

/** The given form, or the form of the default level. */
export function formOf({ form }: { readonly form?: FaultForm }): FaultForm {
  return form ?? FAULT_FORMS[DEFAULT_LEVEL]
}
