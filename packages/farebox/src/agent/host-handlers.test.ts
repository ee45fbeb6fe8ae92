import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgent } from './create-agent.ts'
import { stageDeclaration, WALLET } from '../execute/staged-payment.test-setup.ts'

const variables = { SERVICE_DEV_MODE: 'true', AGENT_WALLET_ADDRESS: WALLET, SERVICE_STORE: 'memory:' }
const inline = { work: () => ({ text: '' }), cheap: () => ({ text: '' }) }

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-module-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('functions with isolation are refused at the start, with an explanation', async () => {
  const wanted = { declaration: stageDeclaration, handlers: inline }
  const refused = {
    message: 'handlers: functions cannot be handed to another process, which isolation "worker" asks for',
    hint: expect.stringContaining("handlers: new URL('../handlers.js', import.meta.url)") as unknown,
  }
  await expect(createAgent({ ...wanted, variables, isolation: 'worker' })).rejects.toMatchObject(refused)
  await expect(
    createAgent({ ...wanted, variables: { ...variables, SERVICE_ISOLATION: 'worker' } }),
  ).rejects.toMatchObject(refused)
})

test('the option of the code takes precedence over the environment variable', async () => {
  const agent = await createAgent({
    declaration: stageDeclaration,
    handlers: inline,
    variables: { ...variables, SERVICE_ISOLATION: 'worker' },
    isolation: 'none',
  })
  await agent.close()
})

test('a module also works without isolation: by URL and by path', async () => {
  const file = join(folder, 'handlers.mjs')
  await writeFile(
    file,
    'export default { work: () => ({ text: "from a file" }), cheap: () => ({ text: "" }) }',
  )
  for (const handlers of [pathToFileURL(file), file, pathToFileURL(file).href]) {
    const agent = await createAgent({ declaration: stageDeclaration, handlers, variables })
    const request = new Request('http://a/execute', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        service_version: '1.0',
        job_id: crypto.randomUUID(),
        task: { input: { text: 'x' } },
        deadline: Date.now() / 1_000 + 10,
      }),
    })
    expect(await (await agent.fetch(request)).json()).toMatchObject({ output: { text: 'from a file' } })
    await agent.close()
  }
})
