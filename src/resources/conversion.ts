// Kinds that are served in more than one version or group, and how one becomes the other.
import type { Conversion } from '../registry/registry.ts'

export const IDENTITY: Conversion = Object.freeze({
  isIdentity: true,
  toStored: (object) => object,
  fromStored: (object) => object,
} satisfies Conversion)

/** By `group/version/Kind` of the served version; those that are stored as they are served are not here. */
export const CONVERSIONS: Readonly<Record<string, Conversion>> = {}
