import { expect, test } from 'vitest'
import { ApiFailure, type Ask } from '../site/ask.ts'
import { page } from './sign-in-page.tsx'

const signedOut: Ask = () =>
  Promise.reject(new ApiFailure('this needs a session', { status: 401, type: 'unauthorized' }))

test.each([
  ['/jobs', '/jobs'],
  ['/owner/agents/3?days=30', '/owner/agents/3?days=30'],
  ['//other.example', '/owner'],
  ['/\\other.example', '/owner'],
  ['https://other.example', '/owner'],
  ['javascript:alert(1)', '/owner'],
  ['', '/owner'],
])('signing in with ?next=%s continues at %s, which is always a page of this site', async (next, gone) => {
  const query = new URLSearchParams({ next })
  const data = await page.load({ params: {}, query, ask: signedOut, isServer: true })
  expect(data).toEqual({ next: gone, address: null })
  expect(page.head(data).personal).toBe(true)
})
