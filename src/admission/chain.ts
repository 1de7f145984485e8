// Several admissions as one: each sees what the one before made of the object; the first that refuses ends it.
import type { Admission, AdmissionRequest } from './admission.ts'

export function admitInOrder(chain: readonly Admission[]): Admission {
  return {
    async mutate(request, signal) {
      let current: AdmissionRequest = request
      for (const admission of chain) {
        const object = await admission.mutate(current, signal)
        if (object !== current.object) current = { ...current, object }
      }
      return current.object
    },
    async validate(request, signal) {
      for (const admission of chain) await admission.validate(request, signal)
    },
  }
}
