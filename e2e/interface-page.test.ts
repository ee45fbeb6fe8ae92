import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { readConfig } from 'farebox'
import { createTestAgent } from 'farebox/testing'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const ORIGIN = 'http://agent.example'

/** A JSON block of docs/interface.md, by the name in the comment before it. */
async function shown(name: string): Promise<Record<string, unknown>> {
  const page = await readFile(new URL('docs/interface.md', root), 'utf8')
  const [, text] = new RegExp(`<!-- shown: ${name} -->\\n\`{3}json\\n([^]*?)\\n\`{3}`).exec(page) ?? []
  if (text === undefined) throw new Error(`docs/interface.md has no block ${name}`)
  return JSON.parse(text) as Record<string, unknown>
}

test('the agent responses in docs/interface.md match the agent’s actual responses', async () => {
  const agent = createTestAgent({
    declaration: await readConfig(fileURLToPath(new URL('examples/first-agent/agent.json', root))),
    handlers: new URL('examples/first-agent/handlers.ts', root),
  })
  const execute = async (body: unknown): Promise<Response> =>
    await agent.fetch(
      new Request(`${ORIGIN}/execute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  try {
    const health = await agent.fetch(new Request(`${ORIGIN}/health`))
    expect(await health.json()).toEqual(await shown('health'))

    const request = await shown('request')
    const completed = await execute(request)
    expect(completed.status).toBe(200)
    expect(await completed.json()).toEqual({
      ...(await shown('completed')),
      completed_at: expect.any(Number),
    })

    const without = { ...request, job_id: crypto.randomUUID(), task: { capability: 'shout', input: {} } }
    const failed = await execute(without)
    expect(failed.status).toBe(400)
    expect(await failed.json()).toEqual(await shown('failed'))
  } finally {
    await agent.close()
  }
})
