// The claims of services on addresses and node ports, looked through every few minutes: a server that stops between claiming
// and storing leaves a claim behind, and a user may delete the object that is one.
import { systemClock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import { repairServiceClaims } from '../resources/resources.ts'
import type { Controller, ControllerParts } from './controllers.ts'

const LOOK_AGAIN_MS = 3 * 60_000

export function serviceAddresses(parts: ControllerParts): Controller {
  return {
    name: 'service-addresses',
    async run(signal) {
      do {
        const { registry, log } = parts
        const repaired = await repairServiceClaims({ registry, resources: parts.resources(), now: parts.now(), signal })
        if (repaired.claimed.length + repaired.givenBack.length > 0) {
          log.info({ ...repaired }, 'addresses and ports of services repaired')
        }
      } while (await pause(systemClock, LOOK_AGAIN_MS, signal))
    },
  }
}
