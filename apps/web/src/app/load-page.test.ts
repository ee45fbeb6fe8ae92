import type { Platform } from '@farebox/platform-api/registry'
import { expect, test } from 'vitest'
import { ApiFailure } from '../site/ask.ts'
import { loadPage, restorePage } from './load-page.ts'

const missing = async (): Promise<never> => {
  throw new ApiFailure('There is no such thing.', { status: 404, type: 'not_found' })
}

test.each([
  ['/jobs/nonsense', 'jobs'],
  ['/limits/new', 'purse'],
  ['/register/nonsense', 'owner'],
  ['/nothing/at/all', 'agents'],
])('%s is not found, and has the same place on server and browser', async (path, place) => {
  const url = new URL(path, 'https://platform.example')
  const loaded = await loadPage(url, missing, true)
  const { data, status } = loaded
  const restored = await restorePage(url, { platform: {} as Platform, now: 0, data, status })
  expect([loaded.status, loaded.place]).toEqual([404, place])
  expect([restored.route, restored.place, restored.data]).toEqual([loaded.route, place, data])
})
