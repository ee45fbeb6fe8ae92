import { afterAll, beforeAll, expect, test } from 'vitest'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { inLimitedTime } from './in-limited-time.ts'

let stage: Stage

beforeAll(async () => {
  stage = await stagePlatform()
})

afterAll(() => stage.close())

test('a statement that takes too long is cancelled, and the caller is asked to retry', async () => {
  const endless = inLimitedTime(stage.database, client => client.query('select pg_sleep(60)'))
  await expect(endless).rejects.toMatchObject({ type: 'unavailable', retryAfterSeconds: 5 })
  expect(await inLimitedTime(stage.database, async () => 'fine')).toBe('fine')
})

test('reading steps cannot write', async () => {
  const written = inLimitedTime(stage.database, client => client.query('delete from search_words'))
  await expect(written).rejects.toThrow(/read-only/)
})
