import type { Flow } from '@farebox/flows/document/flow'
import { flowShared, savedFlow, sharedFlow } from '@farebox/platform-api/flows/saved-flows'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { LightMyRequestResponse } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { signedInAs } from '../../test-setup/sign-in.ts'
import { stageApps } from '../../test-setup/stage-apps.ts'
import { flowRoutes } from '../flow-routes.ts'

const apps = stageApps()
const FLOW: Flow = {
  flow_version: 1,
  name: 'Greeting',
  description: 'Says hello',
  inputs: { name: { type: 'string', required: true, maxLength: 40 } },
  outputs: ['text'],
  steps: { words: { kind: 'template', text: 'Hello {name}' } },
  wires: [
    { from: { step: 'input', port: 'name' }, to: { step: 'words', port: 'name' } },
    { from: { step: 'words', port: 'text' }, to: { step: 'output', port: 'text' } },
  ],
}

let headers: { readonly authorization: string }
let flowId: string
let inject: ReturnType<typeof apps.open>['inject']

beforeEach(async () => {
  const app = apps.open(flowRoutes(apps.parts))
  inject = app.inject.bind(app)
  headers = await signedInAs(apps.parts, `0x${'ad'.repeat(20)}`)
  const made = await inject({ method: 'POST', url: '/v1/flows', headers, payload: { flow: FLOW } })
  flowId = savedFlow.parse(made.json()).flow_id
})

async function share(): Promise<string> {
  const answer = await inject({ method: 'POST', url: `/v1/flows/${flowId}/share`, headers })
  return flowShared.parse(answer.json()).share_id
}

const open = async (shareId: string): Promise<LightMyRequestResponse> =>
  await inject({ url: `/v1/shared/${shareId}` })

test('the link shows the current flow until it is removed', async () => {
  const shareId = await share()
  expect(shareId).toMatch(/^[\w-]{22}$/)
  expect(await share()).toBe(shareId)
  expect(sharedFlow.parse((await open(shareId)).json())).toMatchObject({ name: 'Greeting', flow: FLOW })
  const payload = { flow: { ...FLOW, name: 'Welcome' }, revision: 1 }
  await inject({ method: 'PUT', url: `/v1/flows/${flowId}`, headers, payload })
  expect(sharedFlow.parse((await open(shareId)).json()).name).toBe('Welcome')

  expect((await inject({ method: 'DELETE', url: `/v1/flows/${flowId}/share`, headers })).statusCode).toBe(204)
  expect((await open(shareId)).statusCode).toBe(404)
  expect(await share()).not.toBe(shareId)
})

test('constants marked secret appear neither under the link nor in the OpenAPI document', async () => {
  const words = { ...FLOW.steps['words'], constants: { name: 'hunter2' }, secret: ['name'] }
  const key = { kind: 'constant', value: 'hunter2', secret: ['value'] }
  const other = { kind: 'default', value: 'hunter2', secret: ['value'] }
  const flow = {
    ...FLOW,
    outputs: [...FLOW.outputs, 'key', 'other'],
    steps: { words, key, other },
    wires: [
      ...FLOW.wires.slice(1),
      { from: { step: 'key', port: 'value' }, to: { step: 'output', port: 'key' } },
      { from: { step: 'other', port: 'value' }, to: { step: 'output', port: 'other' } },
    ],
  }
  const payload = { flow, revision: 1 }
  expect((await inject({ method: 'PUT', url: `/v1/flows/${flowId}`, headers, payload })).statusCode).toBe(200)
  const shared = await open(await share())
  expect([shared.statusCode, shared.body.includes('hunter2')]).toEqual([200, false])
  const document = await inject({ url: `/v1/flows/${flowId}/openapi.json`, headers })
  expect([document.statusCode, document.body.includes('hunter2')]).toEqual([200, false])
  // The owner still sees them.
  expect((await inject({ url: `/v1/flows/${flowId}`, headers })).body).toContain('hunter2')
})

test('a link ends when its flow is deleted', async () => {
  const shareId = await share()
  await inject({ method: 'DELETE', url: `/v1/flows/${flowId}`, headers })
  expect((await open(shareId)).statusCode).toBe(404)
})

test('a flow is described as one OpenAPI operation with its own input and output', async () => {
  const answer = await inject({ url: `/v1/flows/${flowId}/openapi.json`, headers })
  const document = answer.json<{
    paths: { '/v1/runs': { post: { requestBody: { content: { [type: string]: { schema: object } } } } } }
    components: { schemas: object }
  }>()
  expect((await new Validator().validate(document)).valid).toBe(true)
  expect(document.components.schemas).toMatchObject({
    FlowInput: { properties: { name: { type: 'string', maxLength: 40 } }, required: ['name'] },
    FlowOutput: { properties: { text: { type: 'string' } }, required: [] },
  })
  const { schema } = document.paths['/v1/runs'].post.requestBody.content['application/json'] ?? {}
  expect(schema).toMatchObject({
    required: expect.arrayContaining(['flow', 'input', 'max_total']) as unknown,
    properties: { flow: { const: FLOW }, input: { $ref: '#/components/schemas/FlowInput' } },
  })
})
