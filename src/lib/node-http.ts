// The parts of Node's `http` that are used as values. An `import` of it reads every one of its exports, and one of those loads
// a whole fetch client: 10 MB of memory for nothing.
const http = process.getBuiltinModule('node:http')

export const { Agent, createServer, request, ServerResponse } = http
