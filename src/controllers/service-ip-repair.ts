// Repairs the allocations of cluster IPs and node ports every few minutes: a server that stops between allocating and storing leaks an
// allocation, and a user may delete an IPAddress.
import { pause } from '../lib/pause.ts'
import { claimWhatServicesHave, repairServiceClaims, type ServiceMeasures } from '../kinds/kinds.ts'
import type { Controller, ControllerParts } from './controllers.ts'

const LOOK_AGAIN_MS = 3 * 60_000

export function serviceIpRepair(parts: ControllerParts, measures: ServiceMeasures): Controller {
  return {
    name: 'service-addresses',
    canWait: true,
    async run(signal) {
      const leaks = new Map<number, number>()
      do {
        const { log } = parts
        const repaired = await repairServiceClaims({ ...claimParts(parts, signal), measures }, leaks)
        if (repaired.claimed.length + repaired.released.length > 0) {
          log.info({ ...repaired }, 'repaired service IP and node port allocations')
        }
      } while (await pause(parts.clock, LOOK_AGAIN_MS, signal))
    },
  }
}

/** Call this before anything is served, so that addresses of services that another server has stored are not allocated again. */
export async function claimAddressesInUse(parts: ControllerParts, signal: AbortSignal): Promise<void> {
  const claimed = await claimWhatServicesHave(claimParts(parts, signal))
  if (claimed.length > 0)
    parts.log.info({ claimed: claimed.length }, 'allocated IPs and node ports already in use by services')
}

function claimParts(parts: ControllerParts, signal: AbortSignal): Parameters<typeof claimWhatServicesHave>[0] {
  return { registry: parts.registry, resources: parts.resources(), now: parts.now(), random: parts.random, signal }
}
