import { serve } from '@hono/node-server'
import { paymentMiddleware } from '@x402/hono'
import { Hono } from 'hono'
import { createEcho, createResourceServer, ROUTES, type EchoRequest } from './x402-routes.ts'

/** Hono on Node with the x402 project's middleware. */
const echo = createEcho()
const app = new Hono()
app.get('/health', context => context.json({ status: 'ok' }))
app.use(paymentMiddleware(ROUTES, createResourceServer()))
app.post('/execute', async context => {
  const { task } = await context.req.json<EchoRequest>()
  return context.json(echo(task.input.text))
})
serve({ fetch: app.fetch, port: Number(process.env['PORT']), hostname: '127.0.0.1' })
