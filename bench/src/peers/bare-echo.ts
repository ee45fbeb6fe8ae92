import { createServer } from 'node:http'

/** The least that a JSON service does: Node's own server, a parsed body, a JSON answer. No checks, no log. */
let runs = 0

createServer((request, response) => {
  if (request.method === 'GET') return answer({ status: 'ok' })
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { task } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      readonly task: { readonly input: { readonly text: string } }
    }
    runs += 1
    answer({ output: { text: task.input.text, run: runs } })
  })

  function answer(value: object): void {
    const body = JSON.stringify(value)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  }
}).listen({ port: Number(process.env['PORT']), host: '127.0.0.1' })
