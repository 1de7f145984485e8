import { beforeEach, describe, expect, it } from 'vitest'
import {
  publishAuthentication,
  type PublishedAuthentication,
} from '../../../src/controllers/extension-authentication.ts'
import type { ControllerParts } from '../../../src/controllers/controllers.ts'
import { type ApiWorld, NOW, openWorld } from '../../rigs/api-world.ts'
import { controllerParts } from '../../rigs/running-controller.ts'

const pem = (text: string): string => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`
const NOTHING: PublishedAuthentication = { clientCa: undefined, proxy: undefined }
const PROXY: PublishedAuthentication['proxy'] = {
  ca: pem('P'),
  allowedNames: ['proxy'],
  userHeaders: ['X-Remote-User'],
  uidHeaders: [],
  groupHeaders: ['X-Remote-Group'],
  extraPrefixes: ['X-Remote-Extra-'],
}

let world: ApiWorld
let parts: ControllerParts

beforeEach(async () => {
  world = await openWorld()
  parts = controllerParts(world, NOW)
})

const publish = (trust: PublishedAuthentication): Promise<void> =>
  publishAuthentication(parts, trust, new AbortController().signal)
const data = async (name: string): Promise<unknown> =>
  (await world.get(world.resource('configmaps'), name, 'kube-system'))['data']

describe('what other servers know of authentication', () => {
  it('is there even where there is nothing to say (W-629, P-053)', async () => {
    await publish(NOTHING)
    expect(await data('extension-apiserver-authentication')).toBeUndefined()
    expect(await data('kube-apiserver-legacy-service-account-token-tracking')).toEqual({ since: NOW.slice(0, 10) })
  })

  it('names authorities and headers; what is not set is left out (P-079)', async () => {
    await publish({ clientCa: pem('A'), proxy: PROXY })
    expect(await data('extension-apiserver-authentication')).toEqual({
      'client-ca-file': pem('A'),
      'requestheader-client-ca-file': pem('P'),
      'requestheader-allowed-names': '["proxy"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    })
  })

  it('holds the authorities of all replicas, each once (P-079)', async () => {
    await publish({ clientCa: pem('A'), proxy: undefined })
    await publish({ clientCa: pem('B'), proxy: undefined })
    await publish({ clientCa: pem('A'), proxy: undefined })
    expect(await data('extension-apiserver-authentication')).toEqual({ 'client-ca-file': pem('A') + pem('B') })
  })

  it('does not forget since when old tokens are watched (P-053)', async () => {
    await publish(NOTHING)
    parts = { ...parts, now: () => '2040-01-01T00:00:00Z' }
    await publish(NOTHING)
    expect(await data('kube-apiserver-legacy-service-account-token-tracking')).toEqual({ since: NOW.slice(0, 10) })
  })
})
