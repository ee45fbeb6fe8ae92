import { paymentMiddleware } from '@x402/express'
import express from 'express'
import { createEcho, createResourceServer, ROUTES, type EchoRequest } from './x402-routes.ts'

/** Express 5 with the x402 project's middleware before the JSON parser, so that a request that pays nothing costs least. */
const echo = createEcho()
const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.get('/health', (_, response) => {
  response.json({ status: 'ok' })
})
app.use(paymentMiddleware(ROUTES, createResourceServer()))
app.post('/execute', express.json(), (request, response) => {
  const { task } = request.body as EchoRequest
  response.json(echo(task.input.text))
})
app.listen(Number(process.env['PORT']), '127.0.0.1')
