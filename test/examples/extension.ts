// An extension of the server: put it into a folder and run `npx quarterdeck serve --extensions FOLDER`. Here it is tried in a server of
// this program first, which takes the same functions.
import { k8s } from 'quarterdeck/client'
import { defineExtension } from 'quarterdeck/extensions'

const LIMIT = 5

export const extension = defineExtension((server) => {
  server.admit({ name: 'replicas.example.com', resource: k8s.Deployment }, ({ object, oldObject, userInfo }) => {
    const replicas = object.spec?.replicas ?? 1
    if (replicas <= LIMIT) return undefined
    // What is there already may stay.
    if (replicas === oldObject?.spec?.replicas) return { warnings: [`more than ${LIMIT} replicas`] }
    return {
      allowed: false,
      code: 403,
      reason: 'Forbidden',
      message: `${userInfo.username} may have ${LIMIT} replicas`,
    }
  })
  server.authorize(({ user, resourceAttributes }) => {
    const isSecret = resourceAttributes?.resource === 'secrets'
    return user.startsWith('guest-') && isSecret ? { denied: true, reason: 'guests see no secrets' } : undefined
  })
})

if (import.meta.main) {
  const { startServer } = await import('quarterdeck')
  await using server = await startServer()
  extension(server)

  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } }
  const spec = { selector: { matchLabels: labels }, template }
  const deployments = server.client().resource(k8s.Deployment).inNamespace('default')
  const made = await deployments.create({ metadata: { name: 'web' }, spec: { ...spec, replicas: 3 } })
  console.log(`${made.metadata.name}: ${made.spec?.replicas} replicas`)
  await deployments.patch('web', { spec: { replicas: 9 } }).catch((error: Error) => console.log(saying(error)))
  const secrets = server.client({ name: 'guest-1', groups: ['readers'] }).resource(k8s.Secret)
  await secrets.list().catch((error: Error) => console.log(saying(error)))
}

/** The end of a message, which begins with the request and who refused it. */
function saying({ message }: Error): string {
  return message.split(': ').at(-1) ?? ''
}
