// The conversion of kinds that are stored as they are served.
import type { Conversion } from '../../registry/registry.ts'

export const IDENTITY: Conversion = Object.freeze({
  isIdentity: true,
  toStored: (object) => object,
  fromStored: (object) => object,
} satisfies Conversion)
