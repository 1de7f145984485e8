// The parts of Node's `http` that are used as values. An `import` of `node:http` reads all of its exports, and one of these loads a whole
// fetch client. That takes 10 MB of memory for nothing.
const http = process.getBuiltinModule('node:http')

export const { Agent, createServer, request, ServerResponse } = http
