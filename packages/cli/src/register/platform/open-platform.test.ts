import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionFile } from '../../home/session-file.ts'
import { openPlatform } from './open-platform.ts'

test('the registration of a private agent is opened, and read again, in the session of this machine', async () => {
  const home = await mkdtemp(join(tmpdir(), 'farebox-home-'))
  const seen: string[] = []
  const server = createServer(({ method, url, headers }, response) => {
    seen.push(`${method} ${url} ${headers.authorization ?? 'without a session'}`)
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ status: 'failed', error_type: 'not_found', error: 'none' }))
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  try {
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const expiresAt = Date.now() / 1_000 + 3_600
    const session = { version: 1, platform: url, address: '0xab', token: 'its-token', expiresAt } as const
    await sessionFile(home, url).write(session)
    const platform = openPlatform(url, new AbortController().signal, home)
    await expect(platform.register('https://agent.internal')).rejects.toThrow('none')
    await expect(platform.readRegistration('1')).rejects.toThrow('none')
    expect(seen).toEqual([
      'POST /v1/registrations Bearer its-token',
      'GET /v1/registrations/1 Bearer its-token',
    ])
  } finally {
    server.close()
    await rm(home, { recursive: true })
  }
})
