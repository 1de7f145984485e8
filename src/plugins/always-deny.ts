// AlwaysDeny: refuses every write.
import type { AdmissionPlugin } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

export const ALWAYS_DENY: AdmissionPlugin = {
  name: 'AlwaysDeny',
  mutate(request) {
    throw forbidden(request, 'admission control is denying all modifications')
  },
}
