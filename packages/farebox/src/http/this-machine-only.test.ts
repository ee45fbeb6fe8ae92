import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { serveStage, type SocketStage } from './socket-stage.test-setup.ts'
import { isThisMachine } from '@farebox/protocol/internal/connection/this-machine'
import { refuseForeign } from './this-machine-only.ts'

let stage: SocketStage
beforeEach(async () => {
  stage = await serveStage({ thisMachineOnly: true })
})
afterEach(() => stage.agent.close())

async function ask(path: string, headers: { readonly [name: string]: string }): Promise<Response> {
  return await fetch(`${stage.url}${path}`, { headers })
}

describe('an agent that serves only its own machine', () => {
  test.each(['https://evil.example', 'http://localhost.evil.example', 'null', 'http://192.168.1.2:3000'])(
    'refuses a page of %s on every route, with an explanation',
    async origin => {
      for (const path of ['/health', '/about', '/execute']) {
        const answer = await ask(path, { origin })
        expect(answer.status).toBe(403)
        expect(await answer.json()).toMatchObject({
          error: expect.stringMatching(
            /^Origin: must be a page of this machine.*--host 0\.0\.0\.0 serves others$/,
          ),
        })
      }
    },
  )

  test.each([
    {},
    { origin: 'http://localhost:8080' },
    { origin: 'http://[::1]' },
    { origin: 'https://127.0.0.1' },
  ])('answers a page of this machine and requests without a page: %j', async headers => {
    expect((await ask('/health', headers)).status).toBe(200)
  })
})

test.each(['rebound.example', 'rebound.example:3000', '10.0.0.1:3000', 'localhost.example', 'a b', ''])(
  'a foreign host name is refused: %j',
  host => {
    expect(refuseForeign({ host })).toMatchObject({ status: 403, close: true })
  },
)

test.each(['localhost', 'LOCALHOST:3000', '127.0.0.1:3000', '127.8.9.1', '[::1]:3000', 'my.localhost'])(
  'a host name of this machine is accepted: %s',
  host => {
    expect(refuseForeign({ host })).toBeUndefined()
  },
)

test('an agent on all interfaces does not count as local', () => {
  for (const address of [undefined, '0.0.0.0', '::', '192.168.1.2'])
    expect(isThisMachine(address)).toBe(false)
})

test('D15 an agent answers any page by default, also on loopback', async () => {
  const open = await serveStage()
  const answer = await fetch(`${open.url}/health`, { headers: { origin: 'https://browser.example' } })
  expect(answer.status).toBe(200)
  await open.agent.close()
})
