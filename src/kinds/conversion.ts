// Kinds that are served in more than one version or group, and how one becomes the other.
import type { Conversion } from '../registry/registry.ts'
import { EVENT_OF_ITS_GROUP } from './event.ts'
import { AUTOSCALER_V1 } from './horizontal-pod-autoscaler.ts'

export const IDENTITY: Conversion = Object.freeze({
  isIdentity: true,
  toStored: (object) => object,
  fromStored: (object) => object,
} satisfies Conversion)

/** By `group/version/Kind` of the served version; those that are stored as they are served are not here. */
export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'autoscaling/v1/HorizontalPodAutoscaler': AUTOSCALER_V1,
  'events.k8s.io/v1/Event': EVENT_OF_ITS_GROUP,
}
