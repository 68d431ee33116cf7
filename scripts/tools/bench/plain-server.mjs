// The fastest plain static server on `node:http`: one answer, from memory, with headers made beforehand. Its message
// on the IPC channel: `{ bytes (base64), headers (names and values by turns), etag }`. Run by against-plain.ts, in a process of its own.
import { createServer } from 'node:http'

process.once('message', ({ bytes, headers, etag }) => {
  const body = Buffer.from(bytes, 'base64')
  const server = createServer((request, response) => {
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, ['ETag', etag])
      response.end()
    } else {
      response.writeHead(200, headers)
      response.end(body)
    }
  })
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
})
process.once('disconnect', () => process.exit())
