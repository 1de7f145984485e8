// Admission and authorization as functions, in a server of this program: no webhook, no certificate, no other process.
import { startServer } from 'quarterdeck'
import { k8s } from 'quarterdeck/client'
import type { AdmissionRequest } from 'quarterdeck/extensions'

/** A rule of one's own to test: it is the same function that `quarterdeck serve --extensions` would run. */
function needsOwner({ object }: AdmissionRequest<k8s.ConfigMap, 'CREATE' | 'UPDATE'>) {
  const owner = object.metadata.labels?.['owner']
  return owner === undefined ? ({ allowed: false, message: 'a config map needs an owner' } as const) : undefined
}

await using server = await startServer()
server.admit({ name: 'owner.example.com', resource: k8s.ConfigMap }, needsOwner)

const maps = server.client().resource(k8s.ConfigMap).inNamespace('default')
await maps.create({ metadata: { name: 'settings' } }).catch((error: Error) => {
  console.log(`denied: ${error.message.split('denied the request: ')[1]}`)
})

// Who asks is the owner, unless somebody else is named. Mutating functions come before validating ones.
server.admit(
  { name: 'default-owner.example.com', type: 'mutating', resource: k8s.ConfigMap, operations: ['CREATE'] },
  ({ object, userInfo }) => {
    const labels = { owner: userInfo.username, ...object.metadata.labels }
    return { object: { ...object, metadata: { ...object.metadata, labels } } }
  },
)
// Ann may do with config maps what she likes.
server.authorize(({ user, resourceAttributes }) =>
  user === 'ann' && resourceAttributes?.resource === 'configmaps' ? { allowed: true } : undefined,
)

const mapsOfAnn = server.client({ name: 'ann' }).resource(k8s.ConfigMap).inNamespace('default')
const made = await mapsOfAnn.create({ metadata: { name: 'settings' }, data: { color: 'blue' } })
console.log(`owner: ${made.metadata.labels?.['owner']}`)
console.log(`kept by ann: ${(await mapsOfAnn.get('settings')).data?.['color']}`)
