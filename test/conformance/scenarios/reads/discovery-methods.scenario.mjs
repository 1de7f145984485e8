//
const brief = (body) => (body?.kind === 'Status' ? body : body?.kind)

export default {
  title: 'Methods and forms on the paths of discovery',
  async run(t) {
    const paths = ['/api', '/apis', '/apis/apps', '/apis/apiregistration.k8s.io', '/apis/apiextensions.k8s.io', '/api/v1', '/apis/apps/v1', '/apis/apiregistration.k8s.io/v1', '/apis/apps/v9', '/apis/nope', '/apis/nope/v1', '/api/v2']
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'PUT', 'PATCH']) {
        const body = ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined
        await t.request(method, path, { ...(body && { body }), pick: brief })
      }
      for (const accept of ['application/yaml', 'text/html', '*/*']) await t.get(path, { headers: { accept }, pick: (body) => (typeof body === 'string' ? 'text' : brief(body)), label: accept })
    }
  },
}
