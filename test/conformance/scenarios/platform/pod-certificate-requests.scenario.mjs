// kube-apiserver has served these requests without further flags since 1.37.
import { readFileSync } from 'node:fs'
import { careful } from '../lib.mjs'

/** By what is particular of them; nobody holds their keys. */
const REQUESTS = JSON.parse(readFileSync(new URL('../../../fixtures/pkcs10-requests.json', import.meta.url), 'utf8'))

export default {
  title: 'requests for certificates of pods: which keys and signatures are accepted',
  async run(t) {
    careful(t)
    const ns = await t.namespace()
    const path = `/apis/certificates.k8s.io/v1/namespaces/${ns}/podcertificaterequests?dryRun=All`
    const spec = {
      signerName: 'example.com/one',
      podName: 'p',
      podUID: 'p-uid',
      serviceAccountName: 's',
      serviceAccountUID: 's-uid',
      nodeName: 'n',
      nodeUID: 'n-uid',
    }
    const pick = (body) => (body?.kind === 'PodCertificateRequest' ? 'accepted' : body)
    const send = (label, stubPKCS10Request) => {
      const body = { apiVersion: 'certificates.k8s.io/v1', kind: 'PodCertificateRequest', metadata: { name: 'a' }, spec: { ...spec, stubPKCS10Request } }
      return t.post(path, body, { label, pick })
    }
    for (const [name, request] of Object.entries(REQUESTS)) await send(name, request)
    await send('nothing', '')
    await send('absent')
    await send('more than 10 KiB', 'A'.repeat(13_656))
    await send('not more than 10 KiB', 'A'.repeat(13_652))
  },
}
